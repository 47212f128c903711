/* Decoders of the web player: what the files of this folder share, and the border to the worker.
 *
 * One module plays one file. Times are seconds from the start of the film. The functions marked
 * EXPORT are called by the worker, those marked IMPORT are its functions (worker/module.ts). */
#ifndef FILM_H
#define FILM_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("worker"), import_name(#name)))

/* More streams than these are not listed. A film with many attached fonts has more of them. */
#define MAX_STREAMS 64
#define MAX_ATTACHMENTS 192

/* Time stamps in MP4 are this much larger, so that none is negative. */
#define MUXING_OFFSET 10.0

enum { VIDEO, AUDIO, LANES };

/* A decoded picture. The worker reads it by the offsets of its fields. */
typedef struct Picture {
    double time;
    int width, height, planes, rgba, depth, full_range, matrix, transfer, interlaced;
    int aspect_num, aspect_den, rotation;
    struct {
        const uint8_t *data;
        int stride, width, height;
    } plane[3];
} Picture;

/* Copies up to `size` bytes of the file. Returns their number, 0 at the end, or -1. */
IMPORT(read) int worker_read(double position, uint8_t *to, int size);
/* Takes bytes of a lane, whose time stamps are `offset` seconds too large. */
IMPORT(bytes) void worker_bytes(int lane, double offset, const uint8_t *data, int size);
IMPORT(picture) void worker_picture(const Picture *picture);
/* Takes a text, or the number of pictures that follow; `end` is negative if unknown. */
IMPORT(cue) void worker_cue(int stream, double start, double end, const char *text, int width, int height, int pictures);
IMPORT(cue_picture) void worker_cue_picture(int x, int y, int width, int height, const uint8_t *rgba);
IMPORT(font) void worker_font(const char *name, const uint8_t *data, int size);

extern AVFormatContext *film;

/* input.c */
int64_t start_of_film(void); /* in microseconds */
double time_of(const AVStream *stream, int64_t stamp);
AVCodecContext *open_decoder(int stream);

/* lanes.c: a lane that is not open ignores packets. */
int open_lane(int lane, const AVCodecParameters *codec, AVRational time_base, AVRational aspect);
int open_copy(int lane, int stream);
int write_lane(int lane, AVPacket *packet);
void repeat_lane(int lane);
int copy_packet(int lane, AVPacket *packet);
void end_lane(int lane);
void close_lane(int lane);

/* audio.c */
int start_audio(int stream, double from);
int decode_audio(const AVPacket *packet);
void seek_audio(void);
void stop_audio(void);

/* video.c */
int start_video(int stream, double from);
int queue_video(const AVPacket *packet);
void seek_video(void);
void stop_video(void);

/* picture.c: returns 0 if the pixels were understood. */
int describe_picture(Picture *picture, const AVFrame *frame);

/* subtitles.c */
int wants_subtitles(int stream);
void decode_subtitle(AVPacket *packet);
void seek_subtitles(void);

#endif
