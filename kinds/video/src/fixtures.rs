//! Video files for tests, built byte by byte.

mod asf;
mod avi;
mod flv;
mod matroska;
mod mp4;
mod mpeg;
mod ogg;

pub(crate) use asf::film as asf_film;
pub(crate) use avi::film as avi_film;
pub(crate) use flv::{film as flv_film, sorenson as flv_sorenson};
pub(crate) use matroska::{
    attached, claiming, element, film as matroska_film, with_attached as matroska_with,
};
pub(crate) use mp4::{
    atom, chapters as mp4_chapters, film as mp4_film, fragmented as mp4_fragmented, full,
};

pub(crate) use mpeg::{mpeg1_program, program, transport, transport_of};
pub(crate) use ogg::film as ogg_film;

/// Start of a JPEG file. The cover readers check nothing more.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01";

/// H.264 parameter set of 1920 × 1080, High profile.
pub(crate) const AVC_PARAMETERS: &[u8] = &[
    0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0xc0, 0x44, 0x00,
];

/// Builds an `AVCDecoderConfigurationRecord` with these parameters.
pub(crate) fn avc_record() -> Vec<u8> {
    let mut record = vec![1, 0x64, 0, 0x28, 0xff, 0xe1, 0];
    record.push(AVC_PARAMETERS.len().try_into().expect("short"));
    record.extend(AVC_PARAMETERS);
    record.extend([1, 0, 4, 0x68, 0xeb, 0xe3, 0xcb]);
    record
}
