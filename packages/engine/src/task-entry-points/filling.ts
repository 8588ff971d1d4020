import './low-priority.ts';
// The process that converts, giving way to everything else.
import './conversion.ts';
