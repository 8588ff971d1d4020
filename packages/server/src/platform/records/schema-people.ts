/** The picture of a user; a row exists only once its bytes are complete. */
export interface PicturesTable {
  user_id: string;
  /** New with each picture, so that an address of an old one never shows the next. */
  id: string;
  blob_key: string;
  /** Told by the first bytes, never by the sender. */
  content_type: string;
  size: number;
  sha256: string;
  created_at: number;
}

/** What an account says of one of its people (`user.customAttributes` of policies). */
export interface UserAttributesTable {
  user_id: string;
  account_id: string;
  /** JSON object. */
  document: string;
  updated_at: number;
}

/** Tables about people, beside users and groups. */
export interface PeopleTables {
  pictures: PicturesTable;
  user_attributes: UserAttributesTable;
}
