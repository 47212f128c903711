/* Lanes: packets as fragmented MP4, or MP3 frames as they are. */
#include <math.h>
#include <string.h>

#include <libavcodec/bsf.h>
#include <libavutil/mem.h>

#include "film.h"

#define BUFFER (64 << 10)
/* Seconds in a fragment: a fragment without a key frame is shorter than a second. */
#define VIDEO_FRAGMENT 1.0
#define AUDIO_FRAGMENT 0.5

static const char FLAGS[] = "frag_custom+empty_moov+default_base_moof+frag_discont+omit_tfhd_offset";

static struct Lane {
    int is_open;
    AVFormatContext *mp4; /* NULL: frames as they are */
    AVRational time_base;
    AVBSFContext *filter;
    int source;       /* copied stream */
    int is_repeating; /* packets are read again after an interruption */
    int64_t last;     /* largest decoding time so far */
    int64_t expected; /* time at which the next packet should begin */
    double flushed, offset;
} lanes[LANES];

static int write_bytes(void *opaque, uint8_t *data, int size) {
    int lane = (int)(intptr_t)opaque;
    worker_bytes(lane, lanes[lane].offset, data, size);
    return size;
}

void close_lane(int index) {
    struct Lane *lane = &lanes[index];
    av_bsf_free(&lane->filter);
    if (lane->mp4) {
        if (lane->mp4->pb) av_freep(&lane->mp4->pb->buffer);
        avio_context_free(&lane->mp4->pb);
        avformat_free_context(lane->mp4);
    }
    *lane = (struct Lane){0};
}

/* Opens a lane that passes frames on as they are. */
static void open_plain(struct Lane *lane, AVRational time_base) {
    lane->is_open = 1;
    lane->time_base = time_base;
    lane->last = lane->expected = INT64_MIN;
    lane->offset = NAN;
}

/* Turns a lane into one of MP4, and writes its header. */
int open_lane(int index, const AVCodecParameters *codec, AVRational time_base, AVRational aspect) {
    struct Lane *lane = &lanes[index];
    open_plain(lane, time_base);
    lane->offset = MUXING_OFFSET;
    int result = avformat_alloc_output_context2(&lane->mp4, NULL, "mp4", NULL);
    if (result < 0) return result;
    AVStream *stream = avformat_new_stream(lane->mp4, NULL);
    uint8_t *buffer = av_malloc(BUFFER);
    if (!stream || !buffer || (result = avcodec_parameters_copy(stream->codecpar, codec)) < 0) return AVERROR(ENOMEM);
    /* Browsers of Apple only accept HEVC with this tag. */
    stream->codecpar->codec_tag = codec->codec_id == AV_CODEC_ID_HEVC ? MKTAG('h', 'v', 'c', '1') : 0;
    stream->time_base = time_base;
    if (aspect.num > 0) stream->sample_aspect_ratio = stream->codecpar->sample_aspect_ratio = aspect;
    lane->mp4->pb = avio_alloc_context(buffer, BUFFER, 1, (void *)(intptr_t)index, NULL, write_bytes, NULL);
    if (!lane->mp4->pb) return AVERROR(ENOMEM);
    lane->mp4->flags |= AVFMT_FLAG_CUSTOM_IO;
    /* FLAC and Opus in MP4 are "experimental" for the muxer. */
    lane->mp4->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    lane->mp4->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    AVDictionary *options = NULL;
    av_dict_set(&options, "movflags", FLAGS, 0);
    av_dict_set(&options, "use_editlist", "0", 0);
    result = avformat_write_header(lane->mp4, &options);
    av_dict_free(&options);
    lane->time_base = stream->time_base;
    avio_flush(lane->mp4->pb);
    return result < 0 ? result : 0;
}

/* Opens a lane for the packets of a stream. */
int open_copy(int index, int source) {
    struct Lane *lane = &lanes[index];
    AVStream *stream = film->streams[source];
    const AVCodecParameters *codec = stream->codecpar;
    AVRational base = {1, index == VIDEO ? 90000 : FFMAX(codec->sample_rate, 1)};
    lane->source = source;
    if (codec->codec_id == AV_CODEC_ID_AAC && !codec->extradata_size) {
        int result = av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &lane->filter);
        if (result < 0 || (result = avcodec_parameters_copy(lane->filter->par_in, codec)) < 0) return result;
        open_plain(lane, base);
        return av_bsf_init(lane->filter);
    }
    if (codec->codec_id == AV_CODEC_ID_MP3) {
        open_plain(lane, base);
        return 0;
    }
    return open_lane(index, codec, base, av_guess_sample_aspect_ratio(film, stream, NULL));
}

/* Removes the header of ADTS from a packet. MP4 wants it once: the first packet opens the lane. */
static int strip_adts(int index, AVPacket *packet) {
    struct Lane *lane = &lanes[index];
    int result = av_bsf_send_packet(lane->filter, packet);
    if (result < 0 || (result = av_bsf_receive_packet(lane->filter, packet)) < 0) return result;
    size_t size;
    const uint8_t *header = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (lane->mp4 || !header) return lane->mp4 ? 0 : AVERROR_INVALIDDATA;
    AVCodecParameters *codec = avcodec_parameters_alloc();
    result = AVERROR(ENOMEM);
    if (codec && avcodec_parameters_copy(codec, film->streams[lane->source]->codecpar) >= 0) {
        codec->extradata = av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
        codec->extradata_size = codec->extradata ? (int)size : 0;
        if (codec->extradata) memcpy(codec->extradata, header, size);
        result = open_lane(index, codec, lane->time_base, (AVRational){0, 1});
    }
    avcodec_parameters_free(&codec);
    return result;
}

/* Writes what is complete as a fragment. */
static void flush_lane(struct Lane *lane) {
    av_write_frame(lane->mp4, NULL);
    avio_flush(lane->mp4->pb);
}

/* Writes a packet with time stamps of the lane. */
int write_lane(int index, AVPacket *packet) {
    struct Lane *lane = &lanes[index];
    double time = packet->pts * av_q2d(lane->time_base);
    double limit = index == VIDEO ? VIDEO_FRAGMENT : AUDIO_FRAGMENT;
    int is_new = lane->last == INT64_MIN;
    if (!is_new && (time - lane->flushed > limit || (index == VIDEO && packet->flags & AV_PKT_FLAG_KEY))) {
        flush_lane(lane);
        lane->flushed = time;
    }
    if (is_new) lane->flushed = time;
    lane->last = packet->dts;
    packet->stream_index = 0;
    packet->pos = -1;
    return av_write_frame(lane->mp4, packet);
}

/* Gives a packet the time stamps of its lane. Returns 0 if it is to be left out. */
static int stamp_packet(struct Lane *lane, int index, AVPacket *packet) {
    const AVStream *stream = film->streams[lane->source];
    AVRational rate = stream->avg_frame_rate;
    int64_t frame = index == VIDEO && rate.num > 0 ? av_rescale_q(1, av_inv_q(rate), stream->time_base) : 0;
    if (packet->duration <= 0) packet->duration = frame;
    if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
    if (packet->pts == AV_NOPTS_VALUE) return 0;
    /* The first packets of Matroska have none: a picture is decoded as many frames earlier as pictures wait. */
    int has_dts = packet->dts != AV_NOPTS_VALUE || lane->last == INT64_MIN;
    if (packet->dts == AV_NOPTS_VALUE) packet->dts = packet->pts - frame * stream->codecpar->video_delay;
    int64_t shift = llrint((MUXING_OFFSET + time_of(stream, 0)) / av_q2d(lane->time_base));
    int64_t tolerance = av_rescale_q_rnd(1, stream->time_base, lane->time_base, AV_ROUND_UP);
    av_packet_rescale_ts(packet, stream->time_base, lane->time_base);
    packet->pts += shift;
    packet->dts += shift;
    if (index == AUDIO) {
        /* Time stamps in milliseconds jitter by less than one; samples do not. */
        if (llabs(packet->pts - lane->expected) <= tolerance) packet->pts = lane->expected;
        packet->dts = packet->pts;
        lane->expected = packet->pts + packet->duration;
    }
    if (lane->last == INT64_MIN) return index == AUDIO || packet->flags & AV_PKT_FLAG_KEY;
    if (!has_dts) packet->dts = lane->last + 1;
    if (lane->is_repeating && packet->dts <= lane->last) return 0;
    lane->is_repeating = 0;
    packet->dts = FFMAX(packet->dts, lane->last + 1);
    if (packet->pts < packet->dts) packet->pts = packet->dts;
    return 1;
}

/* Prepares a lane for packets that it has already. */
void repeat_lane(int index) {
    lanes[index].is_repeating = lanes[index].last != INT64_MIN;
}

/* Passes a packet of the lane's stream on. */
int copy_packet(int index, AVPacket *packet) {
    struct Lane *lane = &lanes[index];
    if (!lane->is_open || !packet->size || !stamp_packet(lane, index, packet)) return 0;
    if (lane->filter) {
        int64_t expected = lane->expected;
        int result = strip_adts(index, packet);
        if (result < 0) return result;
        lane->expected = expected;
    }
    if (lane->mp4) return write_lane(index, packet);
    /* The browser's parser of MP3 begins at zero. */
    if (isnan(lane->offset)) lane->offset = MUXING_OFFSET - packet->pts * av_q2d(lane->time_base);
    lane->last = packet->dts;
    worker_bytes(index, lane->offset, packet->data, packet->size);
    return 0;
}

void end_lane(int index) {
    struct Lane *lane = &lanes[index];
    if (!lane->is_open || !lane->mp4) return;
    av_write_trailer(lane->mp4);
    avio_flush(lane->mp4->pb);
}
