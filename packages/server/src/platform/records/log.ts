/** Where the platform reports what no caller is waiting for. Pino's logger fits. Never given SQL, secrets or health data. */
export interface PlatformLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
