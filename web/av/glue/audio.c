/* Decodes sound, and encodes it as FLAC of 16 bits, which every browser plays. */
#include <math.h>

#include <libavutil/channel_layout.h>
#include <libswresample/swresample.h>

#include "film.h"

#define MAX_RATE 96000
#define MIN_RATE 8000
#define MAX_CHANNELS 8
/* Seconds by which sound may differ from its time stamps before silence fills a gap, or sound is left out. */
#define TOLERANCE 0.1
/* A larger difference is a jump of the clock of a broadcast, not a gap. */
#define LONGEST_GAP 30.0
/* Sound from before the start that is kept, for decoders of browsers that need a moment. */
#define BEFORE_START 0.2

/* Layouts of FLAC by number of channels. */
static const uint64_t LAYOUTS[MAX_CHANNELS + 1] = {
    0, AV_CH_LAYOUT_MONO, AV_CH_LAYOUT_STEREO, AV_CH_LAYOUT_SURROUND, AV_CH_LAYOUT_QUAD, AV_CH_LAYOUT_5POINT0_BACK,
    AV_CH_LAYOUT_5POINT1_BACK, AV_CH_LAYOUT_6POINT1, AV_CH_LAYOUT_7POINT1};

static int source = -1;
static AVCodecContext *decoder, *encoder;
static SwrContext *converter;
static AVFrame *frame, *block;
static AVPacket *coded;
static double start, clock_of_input;
static int64_t due;      /* time stamp of the next encoded sample */
static int is_repeating; /* packets are read again after an interruption */
static struct { int rate, format, channels; } input;

void stop_audio(void) {
    avcodec_free_context(&decoder);
    avcodec_free_context(&encoder);
    swr_free(&converter);
    source = -1;
    input.rate = is_repeating = 0;
}

int start_audio(int stream, double from) {
    if (!frame) frame = av_frame_alloc();
    if (!block) block = av_frame_alloc();
    if (!coded) coded = av_packet_alloc();
    source = stream;
    start = from;
    clock_of_input = NAN;
    decoder = open_decoder(stream);
    return decoder && frame && block && coded ? 0 : AVERROR_DECODER_NOT_FOUND;
}

void seek_audio(void) {
    if (decoder) avcodec_flush_buffers(decoder);
    clock_of_input = NAN;
    is_repeating = encoder != NULL;
}

/* Opens the encoder for sound like that of the first frame, and the lane. */
static int open_encoder(double time) {
    int channels = frame->ch_layout.nb_channels;
    int rate = frame->sample_rate;
    while (rate > MAX_RATE) rate /= 2;
    if (rate < MIN_RATE) rate = MIN_RATE;
    encoder = avcodec_alloc_context3(avcodec_find_encoder(AV_CODEC_ID_FLAC));
    if (!encoder) return AVERROR(ENOMEM);
    encoder->sample_rate = rate;
    av_channel_layout_from_mask(&encoder->ch_layout, LAYOUTS[channels > MAX_CHANNELS ? 2 : FFMAX(channels, 1)]);
    encoder->sample_fmt = AV_SAMPLE_FMT_S16;
    encoder->time_base = (AVRational){1, rate};
    encoder->compression_level = 1;
    int result = avcodec_open2(encoder, encoder->codec, NULL);
    if (result < 0) return result;
    due = llrint((time + MUXING_OFFSET) * rate);
    AVCodecParameters *codec = avcodec_parameters_alloc();
    result = codec ? avcodec_parameters_from_context(codec, encoder) : AVERROR(ENOMEM);
    if (result >= 0) result = open_lane(AUDIO, codec, encoder->time_base, (AVRational){0, 1});
    avcodec_parameters_free(&codec);
    return result;
}

/* Prepares the conversion of sound like that of the frame. Returns 0 if it is ready. */
static int open_converter(void) {
    int channels = frame->ch_layout.nb_channels;
    if (converter && input.rate == frame->sample_rate && input.format == frame->format && input.channels == channels)
        return 0;
    AVChannelLayout layout = {0};
    if (frame->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC) {
        /* Channels without a known place: the usual ones, as the encoder has them. */
        if (channels <= MAX_CHANNELS) av_channel_layout_from_mask(&layout, LAYOUTS[channels]);
        else av_channel_layout_default(&layout, channels);
    } else if (av_channel_layout_copy(&layout, &frame->ch_layout) < 0) {
        return AVERROR(ENOMEM);
    }
    swr_free(&converter);
    int result = swr_alloc_set_opts2(&converter, &encoder->ch_layout, encoder->sample_fmt, encoder->sample_rate, &layout,
                                     frame->format, frame->sample_rate, 0, NULL);
    av_channel_layout_uninit(&layout);
    if (result < 0 || (result = swr_init(converter)) < 0) return result;
    input.rate = frame->sample_rate;
    input.format = frame->format;
    input.channels = channels;
    return 0;
}

/* Encodes a block of sound; none at the end. */
static int encode(AVFrame *sound) {
    int result = avcodec_send_frame(encoder, sound);
    while (result >= 0 && (result = avcodec_receive_packet(encoder, coded)) >= 0) {
        if (coded->duration <= 0) coded->duration = encoder->frame_size;
        result = write_lane(AUDIO, coded);
        av_packet_unref(coded);
    }
    return result == AVERROR(EAGAIN) || result == AVERROR_EOF ? 0 : result;
}

/* Encodes the complete blocks that the converter has; at the end, also the rest. */
static int encode_blocks(int is_end) {
    while (converter && (is_end || swr_get_out_samples(converter, 0) >= encoder->frame_size)) {
        block->nb_samples = encoder->frame_size;
        block->format = encoder->sample_fmt;
        block->sample_rate = encoder->sample_rate;
        int result = av_channel_layout_copy(&block->ch_layout, &encoder->ch_layout);
        if (result < 0 || (result = av_frame_get_buffer(block, 0)) < 0) return result;
        int count = swr_convert(converter, block->data, block->nb_samples, NULL, 0);
        block->nb_samples = count;
        block->pts = due;
        due += FFMAX(count, 0);
        result = count > 0 ? encode(block) : count;
        int is_last = count < encoder->frame_size;
        av_frame_unref(block);
        if (result < 0 || is_last) return result;
    }
    return 0;
}

/* Takes one frame of decoded sound. */
static int take(void) {
    if (frame->sample_rate <= 0 || frame->ch_layout.nb_channels <= 0 || frame->nb_samples <= 0) return 0;
    double length = frame->nb_samples / (double)frame->sample_rate;
    double time = time_of(film->streams[source], frame->best_effort_timestamp);
    if (isnan(time)) time = isnan(clock_of_input) ? start : clock_of_input;
    clock_of_input = time + length;
    if (time + length < start - BEFORE_START && start > 0) return 0;
    int result;
    if (!encoder && (result = open_encoder(time)) < 0) return result;
    if ((result = open_converter()) < 0) return result;
    double waiting = swr_get_delay(converter, 1000000) / 1e6;
    double gap = time - (due / (double)encoder->sample_rate - MUXING_OFFSET + waiting);
    if (is_repeating && gap < -length / 2) return 0;
    is_repeating = 0;
    if (gap < -TOLERANCE && gap > -LONGEST_GAP) return 0;
    if (gap > TOLERANCE && gap < LONGEST_GAP) {
        result = swr_inject_silence(converter, (int)(gap * frame->sample_rate));
        if (result < 0) return result;
    }
    result = swr_convert(converter, NULL, 0, (const uint8_t **)frame->extended_data, frame->nb_samples);
    return result < 0 ? result : encode_blocks(0);
}

/* Decodes a packet; none at the end. Damaged packets are left out. */
int decode_audio(const AVPacket *packet) {
    int result = avcodec_send_packet(decoder, packet);
    while (avcodec_receive_frame(decoder, frame) >= 0) {
        result = take();
        av_frame_unref(frame);
        if (result < 0) return result;
    }
    if (packet || !encoder) return 0;
    result = encode_blocks(1);
    return result < 0 ? result : encode(NULL);
}
