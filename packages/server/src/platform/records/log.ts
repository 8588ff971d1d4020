/**
 * Log of the platform for events without a waiting caller. Pino's logger fits. Receives no SQL, secrets or
 * health data.
 */
export interface PlatformLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
