/** The picture of a user; a row exists only once its bytes are complete. */
export interface PicturesTable {
  user_id: string;
  /** New with each picture, so that an address of an old one never shows the next. */
  id: string;
  blob_key: string;
  /** Recognised by the first bytes, never taken from the sender. */
  content_type: string;
  size: number;
  sha256: string;
  created_at: number;
}

/** Attributes that an account gives to a member (`user.customAttributes` of policies). */
interface UserAttributesTable {
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
