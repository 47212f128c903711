/* Describes the file as JSON, and hands out attached fonts. */
#include <libavutil/avstring.h>
#include <libavutil/bprint.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>

#include "film.h"

#define MAX_JSON (1u << 20)
#define MAX_TITLE 400
#define MAX_CHAPTERS 1000
/* Enough for the parameter sets of a profile and level. */
#define MAX_EXTRADATA 256
/* A header of subtitles contains styles, and sometimes a book about them. */
#define MAX_HEADER (64 << 10)

static void add_string(AVBPrint *json, const char *name, const char *text, int limit) {
    av_bprintf(json, "\"%s\":\"", name);
    for (int i = 0; text && text[i] && i < limit; i++) {
        unsigned char c = text[i];
        if (c == '"' || c == '\\') av_bprintf(json, "\\%c", c);
        else if (c < 0x20) av_bprintf(json, "\\u%04x", c);
        else av_bprint_chars(json, c, 1);
    }
    av_bprintf(json, "\",");
}

static void add_tag(AVBPrint *json, const char *name, AVDictionary *tags, const char *key) {
    const AVDictionaryEntry *entry = av_dict_get(tags, key, NULL, 0);
    add_string(json, name, entry ? entry->value : "", MAX_TITLE);
}

static void add_subtitle_header(AVBPrint *json, int index) {
    AVCodecContext *decoder = open_decoder(index);
    char *header = decoder ? av_strndup((const char *)decoder->subtitle_header, decoder->subtitle_header_size) : NULL;
    add_string(json, "header", header, MAX_HEADER);
    av_free(header);
    avcodec_free_context(&decoder);
}

static void add_stream(AVBPrint *json, int index) {
    AVStream *stream = film->streams[index];
    const AVCodecParameters *codec = stream->codecpar;
    int is_video = codec->codec_type == AVMEDIA_TYPE_VIDEO;
    AVRational rate = is_video ? av_guess_frame_rate(film, stream, NULL) : (AVRational){0, 1};
    av_bprintf(json, "{\"index\":%d,", index);
    add_string(json, "type", av_get_media_type_string(codec->codec_type), MAX_TITLE);
    add_string(json, "codec", avcodec_get_name(codec->codec_id), MAX_TITLE);
    add_tag(json, "language", stream->metadata, "language");
    add_tag(json, "title", stream->metadata, "title");
    add_string(json, "pixelFormat", is_video ? av_get_pix_fmt_name(codec->format) : "", MAX_TITLE);
    if (codec->codec_type == AVMEDIA_TYPE_SUBTITLE) add_subtitle_header(json, index);
    av_bprintf(json, "\"extradata\":\"");
    for (int i = 0; i < codec->extradata_size && i < MAX_EXTRADATA; i++) av_bprintf(json, "%02x", codec->extradata[i]);
    av_bprintf(json, "\",\"decodable\":%d,\"default\":%d,\"forced\":%d,", !!avcodec_find_decoder(codec->codec_id),
               !!(stream->disposition & AV_DISPOSITION_DEFAULT), !!(stream->disposition & AV_DISPOSITION_FORCED));
    av_bprintf(json, "\"profile\":%d,\"level\":%d,\"delay\":%d,", codec->profile, codec->level, codec->video_delay);
    av_bprintf(json, "\"width\":%d,\"height\":%d,\"rate\":%.4f,", codec->width, codec->height, rate.num && rate.den ? av_q2d(rate) : 0);
    av_bprintf(json, "\"sampleRate\":%d,\"channels\":%d}", codec->sample_rate, codec->ch_layout.nb_channels);
}

static int is_listed(const AVStream *stream) {
    enum AVMediaType type = stream->codecpar->codec_type;
    if (type == AVMEDIA_TYPE_VIDEO) return !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC);
    return type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE;
}

/* Returns the description; an empty text if it is too long. */
EXPORT(contents) const char *describe_film(void) {
    static AVBPrint json;
    av_bprint_init(&json, 4096, MAX_JSON);
    av_bprintf(&json, "{");
    add_string(&json, "format", film->iformat->name, MAX_TITLE);
    av_bprintf(&json, "\"duration\":%.6f,\"streams\":[", film->duration > 0 ? film->duration / (double)AV_TIME_BASE : -1);
    int listed = 0;
    for (unsigned i = 0; i < film->nb_streams && listed < MAX_STREAMS; i++) {
        if (!is_listed(film->streams[i])) continue;
        if (listed++) av_bprintf(&json, ",");
        add_stream(&json, i);
    }
    av_bprintf(&json, "],\"chapters\":[");
    for (unsigned i = 0; i < film->nb_chapters && i < MAX_CHAPTERS; i++) {
        const AVChapter *chapter = film->chapters[i];
        av_bprintf(&json, "%s{", i ? "," : "");
        add_tag(&json, "title", chapter->metadata, "title");
        av_bprintf(&json, "\"start\":%.6f}", chapter->start * av_q2d(chapter->time_base));
    }
    av_bprintf(&json, "]}");
    return av_bprint_is_complete(&json) ? json.str : "";
}

/* Hands out the fonts that are attached to the film. */
EXPORT(fonts) void hand_out_fonts(void) {
    for (unsigned i = 0; i < film->nb_streams; i++) {
        const AVStream *stream = film->streams[i];
        const AVCodecParameters *codec = stream->codecpar;
        const AVDictionaryEntry *name = av_dict_get(stream->metadata, "filename", NULL, 0);
        const AVDictionaryEntry *type = av_dict_get(stream->metadata, "mimetype", NULL, 0);
        if (codec->codec_type != AVMEDIA_TYPE_ATTACHMENT || codec->extradata_size <= 0) continue;
        int is_font = codec->codec_id == AV_CODEC_ID_TTF || codec->codec_id == AV_CODEC_ID_OTF ||
                      (type && av_stristr(type->value, "font"));
        if (is_font) worker_font(name ? name->value : "", codec->extradata, codec->extradata_size);
    }
}
