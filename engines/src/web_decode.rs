//! The web interface's own decoders: FFmpeg's libraries as WebAssembly, in a worker of the page.

use ledge_core::registry::PlaybackEngine;

/// Profile of the decoders in `web/av`: the demuxers and decoders that their component list
/// enables, limited to those that the probe reports.
///
/// AV1 is not decoded. The page passes its packets on to the browser, as it does with H.264 and VP9.
/// A picture can be too large for a slow device; the page knows that device and says so before it
/// starts.
///
/// Source: `web/av/components.txt`.
pub const WEB_DECODE: PlaybackEngine = PlaybackEngine {
    id: "web-decode",
    label: "Web browser with Ledge's decoders",
    rank: 15,
    containers: &[
        "mp4", "webm", "matroska", "avi", "mpegts", "mpegps", "mpegvideo", "flv", "asf", "ogg",
        "mp3", "flac", "wav", "aiff", "adts", "ac3", "eac3", "dts", "dtshd", "truehd", "mlp",
        "loas", "amr", "ape", "au", "caf", "dsf", "iff", "mpc", "tak", "tta", "wv", "rm", "mxf",
        "nut", "dv", "ivf", "h264", "hevc", "m4v",
    ],
    vcodecs: &[
        "h264",
    ],
    acodecs: &[],
};

inventory::submit! { WEB_DECODE }
