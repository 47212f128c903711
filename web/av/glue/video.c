/* Queues packets of pictures, and decodes them when the page has room. So sound can be far ahead of pictures. */
#include <math.h>

#include <libavutil/display.h>
#include <libavutil/fifo.h>

#include "film.h"

static int source = -1;
static AVCodecContext *decoder;
static AVFifo *queue;
static AVFrame *frame;
static int64_t queued_bytes, last;
static int is_repeating, is_ended, is_drained, rotation;
static double start, next_time;

static AVPacket *take_packet(void) {
    AVPacket *packet = NULL;
    if (!queue || av_fifo_read(queue, &packet, 1) < 0) return NULL;
    queued_bytes -= packet->size;
    return packet;
}

static void clear(void) {
    for (AVPacket *packet; (packet = take_packet());) av_packet_free(&packet);
}

void stop_video(void) {
    clear();
    avcodec_free_context(&decoder);
    source = -1;
}

/* Returns the clockwise rotation of a stream in degrees. */
static int rotation_of(const AVStream *stream) {
    const int32_t *matrix = (const int32_t *)av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, NULL);
    double angle = matrix ? av_display_rotation_get(matrix) : 0;
    return isnan(angle) ? 0 : ((int)lrint(-angle / 90) % 4 + 4) % 4 * 90;
}

int start_video(int stream, double from) {
    if (!queue) queue = av_fifo_alloc2(64, sizeof(AVPacket *), AV_FIFO_FLAG_AUTO_GROW);
    if (!frame) frame = av_frame_alloc();
    decoder = open_decoder(stream);
    if (!queue || !frame || !decoder) return AVERROR_DECODER_NOT_FOUND;
    source = stream;
    start = next_time = from;
    rotation = rotation_of(film->streams[stream]);
    last = INT64_MIN;
    is_repeating = is_ended = is_drained = 0;
    return 0;
}

/* Prepares for packets that are in the queue already. */
void seek_video(void) {
    is_ended = 0;
    is_repeating = last != INT64_MIN;
}

/* Appends a packet; none at the end. */
int queue_video(const AVPacket *packet) {
    if (!packet) {
        is_ended = 1;
        return 0;
    }
    int64_t stamp = packet->dts == AV_NOPTS_VALUE ? packet->pts : packet->dts;
    if (is_repeating && stamp <= last) return 0;
    is_repeating = 0;
    AVPacket *copy = av_packet_clone(packet);
    if (!copy) return AVERROR(ENOMEM);
    if (av_fifo_write(queue, &copy, 1) < 0) {
        av_packet_free(&copy);
        return AVERROR(ENOMEM);
    }
    if (stamp != AV_NOPTS_VALUE) last = stamp;
    queued_bytes += copy->size;
    return 0;
}

/* Returns the bytes of the packets that wait. */
EXPORT(queued) double bytes_queued(void) {
    return (double)queued_bytes;
}

/* Removes pictures that would be too late: all before the last key frame that is not later than `time`.
 * Returns the number of removed packets. */
EXPORT(trim) int trim_queue(double time) {
    int count = queue && source >= 0 ? (int)av_fifo_can_read(queue) : 0, keep = 0;
    for (int i = 0; i < count; i++) {
        AVPacket *packet;
        av_fifo_peek(queue, &packet, 1, i);
        double at = time_of(film->streams[source], packet->pts == AV_NOPTS_VALUE ? packet->dts : packet->pts);
        if (at > time) break;
        if (packet->flags & AV_PKT_FLAG_KEY) keep = i;
    }
    for (int i = 0; i < keep; i++) {
        AVPacket *packet = take_packet();
        av_packet_free(&packet);
    }
    if (keep > 0) avcodec_flush_buffers(decoder);
    return keep;
}

/* Leaves out pictures that no other one needs, if decoding is late. */
EXPORT(hurry) void set_hurry(int is_late) {
    if (!decoder) return;
    decoder->skip_frame = is_late ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
    decoder->skip_loop_filter = is_late ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
}

/* Hands out the frame, unless it belongs before the start. Returns the number of pictures. */
static int show(void) {
    const AVStream *stream = film->streams[source];
    AVRational rate = stream->avg_frame_rate;
    double length = rate.num > 0 && rate.den > 0 ? 1 / av_q2d(rate) : 0.04;
    double time = time_of(stream, frame->best_effort_timestamp);
    if (isnan(time)) time = next_time;
    next_time = time + length;
    if (start > 0 && time + length <= start) return 0;
    Picture picture = {.time = time, .rotation = rotation};
    AVRational aspect = av_guess_sample_aspect_ratio(film, (AVStream *)stream, frame);
    picture.aspect_num = aspect.num;
    picture.aspect_den = aspect.den;
    if (describe_picture(&picture, frame) < 0) return 0;
    worker_picture(&picture);
    return 1;
}

/* Decodes the next packet. Returns the number of pictures, or -1 if there is nothing to decode. */
EXPORT(decode) int decode_video(void) {
    if (source < 0 || is_drained) return -1;
    AVPacket *packet = take_packet();
    if (!packet && !is_ended) return -1;
    if (!packet) is_drained = 1;
    int count = 0;
    int result = avcodec_send_packet(decoder, packet);
    while (avcodec_receive_frame(decoder, frame) >= 0) {
        count += show();
        av_frame_unref(frame);
        /* It was full before. */
        if (result == AVERROR(EAGAIN)) result = avcodec_send_packet(decoder, packet);
    }
    av_packet_free(&packet);
    return count;
}
