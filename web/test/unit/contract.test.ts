/** What the interface reads must be in the server's document: the compiler checks it, the test only runs it. */
import { expect, it } from 'vitest';
import type { components } from '../../src/api/schema';
import type * as ours from '../../src/api/types';

type Schemas = components['schemas'];
type Missing<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>;
type Named = {
  ItemCard: Missing<ours.ItemCard, Schemas['ItemCard']>;
  Item: Missing<ours.ItemRecord, Schemas['ItemDetail']>;
  Annotation: Missing<ours.Annotation, Schemas['Annotation']>;
  PastPlace: Missing<ours.PastPlace, Schemas['PastPlace']>;
  Name: Missing<ours.Name, Schemas['Named']>;
  ItemChange: Missing<ours.ItemChange, Schemas['EditItem']>;
  Home: Missing<ours.HomeShelves, Schemas['Home']>;
  CardProgress: Missing<ours.CardProgress, Schemas['CardProgress']>;
  MediaFile: Missing<ours.MediaFile, Schemas['FileDetail']>;
  Library: Missing<ours.Library, Schemas['Library']>;
  ScanStatus: Missing<ours.ScanStatus, Schemas['ScanStatus']>;
  MediaType: Missing<ours.MediaType, Schemas['MediaType']>;
  User: Missing<ours.User, Schemas['User']>;
  UserDetail: Missing<ours.UserDetail, Schemas['UserDetail']>;
  Job: Missing<ours.Job, Schemas['Job']>;
  MissingItem: Missing<ours.MissingItem, Schemas['MissingItem']>;
  DirectoryListing: Missing<ours.DirectoryListing, Schemas['DirectoryListing']>;
  Version: Missing<ours.Version, Schemas['VersionInfo']>;
};

it('names no field that the server does not have', () => {
  const unknown: Named[keyof Named][] = [];
  const none: never[] = unknown;
  expect(none).toEqual([]);
});
