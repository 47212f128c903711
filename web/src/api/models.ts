/** Names of the generated schema's types as the interface uses them. Field descriptions are in `schema.d.ts`. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Role = Schemas['Role'];
export type User = Schemas['User'];
export type UserDetail = Schemas['UserDetail'];
export type AppPassword = Schemas['AppPassword'];
export type IssuedAppPassword = Schemas['IssuedAppPassword'];
export type AppScope = Schemas['Scope'];
export type Protocol = Schemas['ProtocolInfo'];
export type Library = Schemas['Library'];
export type Libraries = Schemas['Items_Library'];
export type Grant = Schemas['Grant'];
export type DirectoryListing = Schemas['DirectoryListing'];
export type ScanState = Schemas['ScanState'];
export type ScanStatus = Schemas['ScanStatus'];
export type Job = Schemas['Job'];
export type JobState = Schemas['JobStatus'];
export type MissingItem = Schemas['MissingItem'];

export type MediaType = Schemas['MediaType'];
export type MediaTypes = Schemas['Items_MediaType'];
export type Subkind = Schemas['SubkindLabels'];
export type PartName = Schemas['PartName'];
export type Unit = Schemas['Unit'];

export type Cover = Schemas['Cover'];
export type CoverCandidate = Schemas['CoverCandidate'];
export type Card = Schemas['ItemCard'];
export type CardPage = Schemas['Page_ItemCard'];
export type Item = Omit<Schemas['ItemDetail'], 'facts'> & { facts: Record<string, unknown> };
export type MediaFile = Schemas['FileDetail'];
export type Chapter = Schemas['Chapter'];
export type Person = Schemas['PersonCredit'];
export type PersonDetail = Schemas['PersonDetail'];
export type RoleCount = Schemas['RoleCount'];
/** Details from the provider of an item's match. */
export type Details = Schemas['SourcedDetails'];
export type Certificate = Schemas['Certificate'];
export type Field = Schemas['Field'];
export type Source = Schemas['Source'];
export type ItemChange = Schemas['EditItem'];
export type BulkSet = Schemas['BulkSet'];
export type Undone = Schemas['Undone'];
export type Letter = Schemas['Letter'];
export type Letters = Schemas['Items_Letter'];

/** The latest progress in an item, and its share of the whole item. */
export type CardProgress = Schemas['CardProgress'];
/** Progress in one file. */
export type Progress = Omit<CardProgress, 'item_fraction' | 'item_finished'>;
/** Progress in one file with the exact position in a book. */
export type ProgressRow = NonNullable<MediaFile['progress']>;
/** A position that was overwritten or synced late. Its id restores it. */
export type ProgressHistoryEntry = Schemas['Items_ProgressHistoryEntry']['items'][number];

export type Facets = Schemas['Facets'];
export type FacetValue = { value: string | number; name: string; items: number };
export type Names = Schemas['Page_Named'];
export type Tag = Schemas['Tag'];
export type CountedTags = Schemas['Page_CountedTag'];

export type Playlist = Schemas['Playlist'];
export type Playlists = Schemas['Page_Playlist'];
export type ListEntry = Schemas['Entry'];
export type ListEntries = Schemas['Page_Entry'];
export type Queue = Schemas['Queue'];
export type Collection = Schemas['Collection'];
export type Collections = Schemas['Page_Collection'];

export type Season = Schemas['Season'];
export type Episode = Schemas['Episode'];
export type AbsentEpisode = Schemas['AbsentEpisode'];
export type MarkFiles = Schemas['MarkBody'];
export type SeriesDetail = Schemas['SeriesDetail'];
export type SeriesCard = Schemas['SeriesCard'];
export type UpNextEntry = Schemas['UpNextCard'];

export type Annotation = Schemas['Annotation'];
export type Subtitles = Schemas['SubtitleRow'];
export type AttachedFont = Schemas['FontRow'];
export type FileGain = Schemas['FileGain'];
export type Lyrics = Schemas['Lyrics'];
export type LyricsLine = Lyrics['lines'][number];

export type HomeShelves = Schemas['Home'];
export type ContinueEntry = HomeShelves['continue'][number];
export type ContinueFile = Omit<ContinueEntry['file'], 'id' | 'title' | 'extent'>;
export type Suggestion = HomeShelves['suggestions'][number];
export type HistoryEntry = Schemas['Page_Begun']['items'][number];

/** An import of another program's data, and its result. */
export type RunningImport = Schemas['RunningImport'];
export type EditBatch = Schemas['EditBatch'];

export type Attempt = Schemas['MatchAttempt'];
export type Provider = Schemas['ProviderView'];
export type Enrichment = Schemas['EnrichmentStatus'];
export type MetadataSettings = Schemas['MetadataSettings'];
export type MetadataChange = Schemas['UpdateMetadataSettings'];
export type ProviderSettings = Schemas['ProviderSettings'];
export type ProviderSetting = Schemas['SettingView'];
export type ProviderChange = Schemas['UpdateProvider'];
export type ProviderTest = Schemas['ProviderTest'];

export type BiosFile = Schemas['BiosRow'];
export type Core = Schemas['CoreRow'];
export type Platform = Schemas['PlatformRow'];
export type Save = Schemas['Save'];
/** An earlier version of a slot. */
export type SaveVersion = Schemas['SaveVersion'];
