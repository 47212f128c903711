//! Forms of a work: the text of a title, and its recording.

/// Form in which an item contains a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkForm {
    /// Text. Positions are pages or sections.
    Text,
    /// Recording of the text. Positions are seconds.
    Recording,
}

/// Assigns no form.
pub(super) fn none(_: Option<&str>) -> Option<WorkForm> {
    None
}
