/**
 * Ends a process that npm started when npm's shell is gone. npm hands a signal to that shell only, and a shell that waits for
 * its command (dash, Debian 12) dies without passing it on. A process sees this by its new parent.
 */
const lookMs = 500;

if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs);
  looking.unref();
}
