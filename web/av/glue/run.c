/* Runs: from a position on, with some of the streams. */
#include <math.h>

#include "film.h"

/* Seconds by which transport and program streams are read earlier: their positions are not exact. */
#define EARLIER 1.5
/* Seconds that decoders of sound need before they are exact. */
#define PREROLL 0.5

static AVPacket *packet;
static int streams[LANES] = {-1, -1}, is_copied[LANES], is_fresh = 1;
static double reached, reached_of[LANES];

/* Moves the reader to a position. Without an index, this is a byte in proportion. */
static int seek(double at) {
    int is_rough = film->iformat->flags & AVFMT_TS_DISCONT;
    int64_t target = start_of_film() + llrint(fmax(0, is_rough ? at - EARLIER : at) * AV_TIME_BASE);
    int index = streams[VIDEO] >= 0 ? streams[VIDEO] : streams[AUDIO];
    film->pb->error = film->pb->eof_reached = 0;
    if (is_rough && at <= 0) return av_seek_frame(film, -1, 0, AVSEEK_FLAG_BYTE);
    if (index >= 0) target = av_rescale_q(target, AV_TIME_BASE_Q, film->streams[index]->time_base);
    int result = avformat_seek_file(film, index, INT64_MIN, target, target, 0);
    if (result < 0) result = av_seek_frame(film, index, target, AVSEEK_FLAG_BACKWARD);
    if (result >= 0 || film->iformat->flags & AVFMT_NO_BYTE_SEEK) return result;
    double share = film->duration > 0 ? fmin(at * AV_TIME_BASE / film->duration, 0.99) : 0;
    return av_seek_frame(film, -1, llrint(share * avio_size(film->pb)), AVSEEK_FLAG_BYTE);
}

static int start_stream(int lane, int stream, int copies, double at) {
    if (stream < 0) return 0;
    if (stream >= (int)film->nb_streams) return AVERROR_STREAM_NOT_FOUND;
    if (copies) return open_copy(lane, stream);
    return lane == VIDEO ? start_video(stream, at) : start_audio(stream, at);
}

/* Starts a run. A negative stream is none. Returns 0 or FFmpeg's error. */
EXPORT(start) int start_run(int video, int copies_video, int audio, int copies_audio, double at) {
    stop_video();
    stop_audio();
    for (int i = 0; i < LANES; i++) close_lane(i);
    streams[VIDEO] = video;
    streams[AUDIO] = audio;
    is_copied[VIDEO] = copies_video;
    is_copied[AUDIO] = copies_audio;
    reached = reached_of[VIDEO] = reached_of[AUDIO] = at;
    if (!packet && !(packet = av_packet_alloc())) return AVERROR(ENOMEM);
    for (int i = 0; i < (int)film->nb_streams; i++)
        film->streams[i]->discard = i == video || i == audio || wants_subtitles(i) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    /* Some formats do not find their beginning again: the first run uses the packets that opening has read. */
    if ((!is_fresh || at > 0) && seek(at) < 0) seek(0);
    is_fresh = 0;
    seek_subtitles();
    int result = start_stream(VIDEO, video, copies_video, at);
    return result < 0 ? result : start_stream(AUDIO, audio, copies_audio, at);
}

/* Continues after an interruption: reads again from the last packets on. The lanes leave out what they have. */
EXPORT(resume) int resume_run(void) {
    double at = reached;
    for (int i = 0; i < LANES; i++)
        if (streams[i] >= 0) at = fmin(at, reached_of[i]);
    int result = seek(at - PREROLL);
    if (result < 0) return result;
    for (int i = 0; i < LANES; i++)
        if (is_copied[i]) repeat_lane(i);
    seek_video();
    seek_audio();
    seek_subtitles();
    return 0;
}

/* Returns the time up to which packets were read. */
EXPORT(position) double position_of_run(void) {
    return reached;
}

/* Writes what is left, at the end of the file or where it cannot be read on. */
EXPORT(finish) int finish_run(void) {
    if (streams[VIDEO] >= 0 && !is_copied[VIDEO]) queue_video(NULL);
    int result = streams[AUDIO] >= 0 && !is_copied[AUDIO] ? decode_audio(NULL) : 0;
    for (int i = 0; i < LANES; i++) end_lane(i);
    return result;
}

static int dispatch(void) {
    for (int i = 0; i < LANES; i++) {
        if (packet->stream_index != streams[i]) continue;
        double time = time_of(film->streams[streams[i]], packet->dts == AV_NOPTS_VALUE ? packet->pts : packet->dts);
        if (!isnan(time)) reached_of[i] = time;
        reached = fmax(reached, reached_of[i]);
        if (is_copied[i]) return copy_packet(i, packet);
        return i == VIDEO ? queue_video(packet) : decode_audio(packet);
    }
    decode_subtitle(packet);
    return 0;
}

/* Reads one packet. Returns 0 or FFmpeg's error; that of the end of the file is one. */
EXPORT(step) int step_run(void) {
    int result = av_read_frame(film, packet);
    if (result == AVERROR(EAGAIN)) return 0;
    if (result < 0) return result;
    result = dispatch();
    av_packet_unref(packet);
    return result < 0 ? result : 0;
}
