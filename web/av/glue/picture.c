/* Describes the pixels of a frame. Layouts that the page does not draw are unpacked, without libswscale. */
#include <stddef.h>
#include <string.h>

#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>

#include "film.h"

enum { BT601, BT709, BT2020 };
enum { SDR, PQ, HLG };

/* Buffer of unpacked planes, which is reused. */
static uint8_t *unpacked;
static unsigned unpacked_size;

static void describe_colours(Picture *picture, const AVFrame *frame, const AVPixFmtDescriptor *format) {
    int is_jpeg = !strncmp(format->name, "yuvj", 4);
    picture->full_range = frame->color_range == AVCOL_RANGE_JPEG || is_jpeg;
    switch (frame->colorspace) {
    case AVCOL_SPC_BT709: picture->matrix = BT709; break;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL: picture->matrix = BT2020; break;
    case AVCOL_SPC_UNSPECIFIED: picture->matrix = frame->height >= 720 && !is_jpeg ? BT709 : BT601; break;
    default: picture->matrix = BT601;
    }
    picture->transfer = frame->color_trc == AVCOL_TRC_SMPTE2084 ? PQ : frame->color_trc == AVCOL_TRC_ARIB_STD_B67 ? HLG : SDR;
    picture->interlaced = frame->interlaced_frame ? frame->top_field_first ? 1 : 2 : 0;
}

/* Returns 1 if each of the first planes contains one component, as bytes or little-endian words. */
static int is_planar(const AVPixFmtDescriptor *format, int planes) {
    const uint64_t others = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT;
    if (format->flags & others) return 0;
    for (int i = 0; i < planes; i++) {
        const AVComponentDescriptor *one = &format->comp[i];
        int bytes = one->depth > 8 ? 2 : 1;
        if (one->plane != i || one->step != bytes || one->shift || one->offset) return 0;
    }
    return format->comp[0].depth == 8 || !(format->flags & AV_PIX_FMT_FLAG_BE);
}

/* Unpacks one component into values of `bytes` bytes, `step` bytes apart, with all bits in use if `scale`. */
static void unpack(const AVFrame *frame, const AVPixFmtDescriptor *format, int component, int width, int height,
                   uint8_t *to, int stride, int step, int bytes, int scale) {
    static uint16_t line[16384];
    int maximum = (1 << format->comp[component].depth) - 1;
    for (int y = 0; y < height; y++, to += stride) {
        av_read_image_line2(line, (const uint8_t **)frame->data, frame->linesize, format, 0, y, component, width, 0, 2);
        for (int x = 0; x < width; x++) {
            unsigned value = scale ? line[x] * 255 / maximum : line[x];
            to[x * step] = value;
            if (bytes == 2) to[x * step + 1] = value >> 8;
        }
    }
}

/* Looks colours up. A palette has words of ARGB. */
static void unpack_palette(const AVFrame *frame, uint8_t *to) {
    const uint32_t *palette = (const uint32_t *)frame->data[1];
    for (int y = 0; y < frame->height; y++) {
        const uint8_t *line = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
        for (int x = 0; x < frame->width; x++, to += 4) {
            to[0] = palette[line[x]] >> 16;
            to[1] = palette[line[x]] >> 8;
            to[2] = palette[line[x]];
        }
    }
}

static int unpack_rgba(Picture *picture, const AVFrame *frame, const AVPixFmtDescriptor *format) {
    int width = frame->width, height = frame->height, stride = width * 4;
    av_fast_malloc(&unpacked, &unpacked_size, (size_t)stride * height);
    if (!unpacked) return AVERROR(ENOMEM);
    memset(unpacked, 255, (size_t)stride * height);
    if (format->flags & AV_PIX_FMT_FLAG_PAL) unpack_palette(frame, unpacked);
    else
        for (int i = 0; i < 3; i++)
            unpack(frame, format, format->nb_components < 3 ? 0 : i, width, height, unpacked + i, stride, 4, 1, 1);
    if (frame->format == AV_PIX_FMT_MONOWHITE)
        for (int i = 0; i < stride * height; i++)
            if (i % 4 < 3) unpacked[i] ^= 255;
    picture->rgba = picture->planes = 1;
    picture->depth = 8;
    picture->plane[0].data = unpacked;
    picture->plane[0].stride = stride;
    return 0;
}

static int unpack_planes(Picture *picture, const AVFrame *frame, const AVPixFmtDescriptor *format) {
    int bytes = picture->depth > 8 ? 2 : 1;
    size_t total = 0;
    for (int i = 0; i < picture->planes; i++) total += (size_t)picture->plane[i].width * picture->plane[i].height * bytes;
    av_fast_malloc(&unpacked, &unpacked_size, total);
    if (!unpacked) return AVERROR(ENOMEM);
    uint8_t *to = unpacked;
    for (int i = 0; i < picture->planes; i++) {
        int width = picture->plane[i].width, height = picture->plane[i].height;
        unpack(frame, format, i, width, height, to, width * bytes, bytes, bytes, 0);
        picture->plane[i].data = to;
        picture->plane[i].stride = width * bytes;
        to += (size_t)width * height * bytes;
    }
    return 0;
}

int describe_picture(Picture *picture, const AVFrame *frame) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    const uint64_t unknown = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    if (!format || format->flags & unknown || frame->width <= 0 || frame->width > 16384 || frame->height <= 0) return AVERROR_PATCHWELCOME;
    picture->width = frame->width;
    picture->height = frame->height;
    picture->depth = format->comp[0].depth;
    picture->planes = format->nb_components < 3 ? 1 : 3;
    describe_colours(picture, frame, format);
    for (int i = 0; i < picture->planes; i++) {
        int sx = i ? format->log2_chroma_w : 0, sy = i ? format->log2_chroma_h : 0;
        picture->plane[i].width = AV_CEIL_RSHIFT(frame->width, sx);
        picture->plane[i].height = AV_CEIL_RSHIFT(frame->height, sy);
        picture->plane[i].data = frame->data[i];
        picture->plane[i].stride = frame->linesize[i];
    }
    if (format->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) || picture->depth < 8) return unpack_rgba(picture, frame, format);
    /* A negative stride is a picture from bottom to top. */
    if (!is_planar(format, picture->planes) || frame->linesize[0] < 0) return unpack_planes(picture, frame, format);
    return 0;
}
