/* Decodes subtitles: texts as events of ASS, pictures as RGBA. */
#include <math.h>
#include <stdint.h>

#include <libavutil/mem.h>

#include "film.h"

#define MAX_SIDE 8192

static AVCodecContext *decoders[MAX_STREAMS + MAX_ATTACHMENTS];
static uint8_t wanted[MAX_STREAMS + MAX_ATTACHMENTS];
static uint8_t *pixels;
static unsigned pixels_size;

int wants_subtitles(int stream) {
    return stream < MAX_STREAMS + MAX_ATTACHMENTS && wanted[stream];
}

/* Selects a stream of subtitles for the next start, or deselects it. */
EXPORT(subtitle) void select_subtitle(int stream, int is_wanted) {
    if (stream < 0 || stream >= (int)film->nb_streams || stream >= MAX_STREAMS + MAX_ATTACHMENTS) return;
    wanted[stream] = is_wanted && film->streams[stream]->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
}

void seek_subtitles(void) {
    for (int i = 0; i < MAX_STREAMS + MAX_ATTACHMENTS; i++)
        if (decoders[i]) avcodec_flush_buffers(decoders[i]);
}

/* Hands out a picture with a palette. Its colours are words of ARGB. */
static void show_bitmap(const AVSubtitleRect *rect) {
    if (rect->w <= 0 || rect->h <= 0 || rect->w > MAX_SIDE || rect->h > MAX_SIDE) return;
    av_fast_malloc(&pixels, &pixels_size, (size_t)rect->w * rect->h * 4);
    if (!pixels) return;
    const uint32_t *palette = (const uint32_t *)rect->data[1];
    uint8_t *to = pixels;
    for (int y = 0; y < rect->h; y++) {
        const uint8_t *line = rect->data[0] + (ptrdiff_t)y * rect->linesize[0];
        for (int x = 0; x < rect->w; x++, to += 4) {
            uint32_t colour = palette[line[x]];
            to[0] = colour >> 16;
            to[1] = colour >> 8;
            to[2] = colour;
            to[3] = colour >> 24;
        }
    }
    worker_cue_picture(rect->x, rect->y, rect->w, rect->h, pixels);
}

static void show(const AVSubtitle *subtitle, int stream, double time, double length) {
    const AVCodecContext *decoder = decoders[stream];
    double start = time + subtitle->start_display_time / 1000.0, end = -1;
    if (subtitle->end_display_time > subtitle->start_display_time && subtitle->end_display_time != UINT32_MAX)
        end = time + subtitle->end_display_time / 1000.0;
    else if (length > 0) end = time + length;
    int bitmaps = 0;
    for (unsigned i = 0; i < subtitle->num_rects; i++) {
        const AVSubtitleRect *rect = subtitle->rects[i];
        if (rect->ass) worker_cue(stream, start, end, rect->ass, 0, 0, 0);
        bitmaps += rect->type == SUBTITLE_BITMAP && rect->data[0] && rect->data[1];
    }
    if (decoder->codec_descriptor && decoder->codec_descriptor->props & AV_CODEC_PROP_TEXT_SUB) return;
    worker_cue(stream, start, end, NULL, decoder->width, decoder->height, bitmaps);
    for (unsigned i = 0; i < subtitle->num_rects; i++) {
        const AVSubtitleRect *rect = subtitle->rects[i];
        if (rect->type == SUBTITLE_BITMAP && rect->data[0] && rect->data[1]) show_bitmap(rect);
    }
}

void decode_subtitle(AVPacket *packet) {
    int stream = packet->stream_index, is_complete = 0;
    if (!wants_subtitles(stream)) return;
    if (!decoders[stream]) decoders[stream] = open_decoder(stream);
    double time = time_of(film->streams[stream], packet->pts);
    double length = packet->duration > 0 ? packet->duration * av_q2d(film->streams[stream]->time_base) : 0;
    AVSubtitle subtitle = {0};
    if (!decoders[stream] || isnan(time)) return;
    if (avcodec_decode_subtitle2(decoders[stream], &subtitle, &is_complete, packet) < 0 || !is_complete) return;
    show(&subtitle, stream, time, length);
    avsubtitle_free(&subtitle);
}
