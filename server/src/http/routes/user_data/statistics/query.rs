//! Query parameters of the statistics.

use ledge_core::store::user_data::statistics::By;
use ledge_core::store::user_data::statistics::range::RangeParams;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Range of dates.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RangeQuery {
    /// First date.
    #[param(format = Date, example = "2026-11-01")]
    from: Option<String>,
    /// Last date.
    #[param(format = Date, example = "2026-11-20")]
    to: Option<String>,
    /// IANA name of the time zone; UTC if absent.
    #[param(example = "Europe/Berlin")]
    tz: Option<String>,
}

impl RangeQuery {
    /// Returns the unvalidated range.
    pub(crate) fn params(self) -> RangeParams {
        let Self { from, to, tz } = self;
        RangeParams { from, to, tz }
    }
}

/// Time zone.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ZoneQuery {
    /// IANA name of the time zone; UTC if absent.
    #[param(example = "Europe/Berlin")]
    tz: Option<String>,
}

impl ZoneQuery {
    /// Returns the unvalidated zone.
    pub(crate) fn params(self) -> RangeParams {
        RangeParams {
            tz: self.tz,
            ..RangeParams::default()
        }
    }
}

/// Grouping of sums.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ByQuery {
    /// Grouping of the sums.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(crate) by: By,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// Comma-separated values with a header line.
    #[default]
    Csv,
    /// A JSON array.
    Json,
}

/// Options of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// Format of the export.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(crate) format: ExportFormat,
}
