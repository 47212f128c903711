/* Opens the file, and reads it through the worker. */
#include <math.h>

#include <libavutil/mem.h>

#include "film.h"

/* One allocation; no frame that can be played here is larger. */
#define MAX_ALLOCATION (128u << 20)
#define MAX_PIXELS (8192LL * 4320)
#define BUFFER (64 << 10)
#define PROBE (4 << 20)

AVFormatContext *film;
static int64_t size, position, start;

static int read_bytes(void *unused, uint8_t *to, int wanted) {
    int count = position >= size ? 0 : worker_read((double)position, to, wanted);
    if (count < 0) return AVERROR(EIO);
    if (count == 0) return AVERROR_EOF;
    position += count;
    return count;
}

static int64_t seek_bytes(void *unused, int64_t offset, int whence) {
    if (whence & AVSEEK_SIZE) return size;
    whence &= ~AVSEEK_FORCE;
    if (whence == SEEK_CUR) offset += position;
    if (whence == SEEK_END) offset += size;
    if (offset < 0) return AVERROR(EINVAL);
    return position = offset;
}

EXPORT(allocate) void *allocate(int bytes) {
    return av_malloc(bytes);
}

/* Returns the stamp of the start of the film, in microseconds. Files of subtitles begin at zero, not with the first. */
static int64_t find_start(void) {
    int has_media = av_find_best_stream(film, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0) >= 0 ||
                    av_find_best_stream(film, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0) >= 0;
    return has_media && film->start_time != AV_NOPTS_VALUE ? film->start_time : 0;
}

/* Opens a file of `bytes` bytes. Returns 0 or FFmpeg's error. */
EXPORT(open) int open_film(double bytes, const char *name) {
    av_log_set_level(AV_LOG_QUIET);
    av_max_alloc(MAX_ALLOCATION);
    size = (int64_t)bytes;
    uint8_t *buffer = av_malloc(BUFFER);
    film = avformat_alloc_context();
    if (!buffer || !film) return AVERROR(ENOMEM);
    film->pb = avio_alloc_context(buffer, BUFFER, 0, NULL, read_bytes, NULL, seek_bytes);
    if (!film->pb) return AVERROR(ENOMEM);
    film->flags |= AVFMT_FLAG_CUSTOM_IO;
    film->probesize = PROBE;
    film->max_analyze_duration = 4 * AV_TIME_BASE;
    film->max_streams = MAX_STREAMS + MAX_ATTACHMENTS;
    const AVInputFormat *format = NULL;
    int result = av_probe_input_buffer2(film->pb, &format, name, NULL, 0, PROBE);
    if (result < 0) return AVERROR_DEMUXER_NOT_FOUND;
    if ((result = avformat_open_input(&film, name, format, NULL)) < 0) return result;
    if ((result = avformat_find_stream_info(film, NULL)) < 0) return result;
    start = find_start();
    return film->nb_streams ? 0 : AVERROR_INVALIDDATA;
}

int64_t start_of_film(void) {
    return start;
}

/* Returns the time of a stamp from the start of the film, or NAN. */
double time_of(const AVStream *stream, int64_t stamp) {
    if (stamp == AV_NOPTS_VALUE) return NAN;
    return stamp * av_q2d(stream->time_base) - start / (double)AV_TIME_BASE;
}

AVCodecContext *open_decoder(int index) {
    const AVStream *stream = film->streams[index];
    const AVCodec *codec = avcodec_find_decoder(stream->codecpar->codec_id);
    AVCodecContext *decoder = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!decoder) return NULL;
    decoder->pkt_timebase = stream->time_base;
    decoder->max_pixels = MAX_PIXELS;
    if (avcodec_parameters_to_context(decoder, stream->codecpar) < 0 || avcodec_open2(decoder, codec, NULL) < 0)
        avcodec_free_context(&decoder);
    return decoder;
}
