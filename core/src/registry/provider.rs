//! The descriptor of a metadata provider.

/// One source of metadata outside the library's own files.
#[derive(Debug, Clone, Copy)]
pub struct MetadataProvider {
    /// Identifier in the API: `openlibrary`.
    pub id: &'static str,
    /// Name shown to people.
    pub label: &'static str,
    /// Providers are asked in this order; ties are broken by `id`.
    pub rank: i32,
    /// Identifiers of the kinds it knows about.
    pub kinds: &'static [&'static str],
}

inventory::collect!(MetadataProvider);
