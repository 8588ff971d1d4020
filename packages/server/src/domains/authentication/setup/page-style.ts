/**
 * Style of all pages: one column that fits a phone, light or dark by the system. Contrast is at least 4.5:1
 * for text and 3:1 for fields and focus rings (WCAG 2.2, 1.4.3 and 1.4.11).
 */
export const pageStyle = `
  :root {
    color-scheme: light dark;
    --ink: #1b1f24; --soft: #57606a; --paper: #f3f5f8; --card: #ffffff; --line: #7d8590; --edge: #d5dae0;
    --accent: #0b57d0; --on-accent: #ffffff; --bad: #b3261e; --bad-paper: #fdeceb; --good: #146c2e; --good-paper: #e7f5ea;
    font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ink: #e6eaf0; --soft: #a3adb9; --paper: #0e1116; --card: #181c23; --line: #767f8b; --edge: #2c333d;
      --accent: #a8c7fa; --on-accent: #062e6f; --bad: #ffb4ab; --bad-paper: #3a1614; --good: #8fd8a0; --good-paper: #12291a;
    }
  }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); padding: 1.5rem 1rem 3rem; }
  body > header { width: min(26rem, 100%); margin: 4vh auto .9rem; font-weight: 650; font-size: 1.15rem; letter-spacing: -.01em; }
  body > header span { display: inline-block; width: .8rem; height: .8rem; margin-right: .5rem; border-radius: 50% 50% 50% 15%; background: var(--accent); }
  main { width: min(26rem, 100%); margin: 0 auto; padding: 1.75rem; background: var(--card); border: 1px solid var(--edge);
    border-radius: .9rem; overflow-wrap: anywhere; }
  body.wide > header, body.wide > main { width: min(44rem, 100%); }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; letter-spacing: -.015em; }
  h2 { font-size: 1.1rem; margin: 0 0 .25rem; }
  section { border-top: 1px solid var(--edge); margin-top: 1.75rem; padding-top: 1.5rem; }
  p { margin: 0 0 1rem; }
  main > :last-child, section > :last-child, form > :last-child { margin-bottom: 0; }
  form + p { margin-top: 1.1rem; }
  .soft { color: var(--soft); font-size: .925rem; }
  label { display: block; font-weight: 550; font-size: .95rem; margin-bottom: .3rem; }
  input { display: block; width: 100%; font: inherit; color: inherit; background: transparent; margin: 0 0 1rem; padding: .6rem .75rem;
    min-height: 2.75rem; border: 1px solid var(--line); border-radius: .5rem; }
  input.away { position: absolute; width: 1px; min-height: 0; height: 1px; margin: 0; padding: 0; border: 0; clip-path: inset(50%); }
  input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
  input.code { font-size: 1.25rem; letter-spacing: .15em; font-variant-numeric: tabular-nums; }
  button, a.button { display: block; width: 100%; min-height: 2.75rem; font: inherit; font-weight: 600; text-align: center; cursor: pointer;
    margin: 0 0 1rem; padding: .6rem 1rem; border: 1px solid transparent; border-radius: .5rem; background: var(--accent);
    color: var(--on-accent); text-decoration: none; }
  button.plain, a.plain { background: none; color: var(--ink); border-color: var(--line); font-weight: 550; }
  button.small { width: auto; min-height: 2.25rem; padding: .35rem .8rem; font-size: .925rem; margin: 0; }
  button:hover, a.button:hover { filter: brightness(1.08); }
  a { color: var(--accent); text-underline-offset: .15em; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  [role=alert], [role=status] { padding: .7rem .9rem; border-radius: .5rem; border-left: 4px solid var(--bad); background: var(--bad-paper); }
  [role=status] { border-color: var(--good); background: var(--good-paper); }
  .or { display: flex; align-items: center; gap: .75rem; margin: 1.25rem 0; color: var(--soft); font-size: .9rem; }
  .or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--edge); }
  .qr { display: block; width: 13rem; max-width: 100%; margin: 0 auto 1rem; border-radius: .5rem; background: #fff; }
  code { font: .95em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
  .codes { list-style: none; margin: 0 0 1rem; padding: .9rem; display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr));
    gap: .4rem 1rem; border: 1px solid var(--edge); border-radius: .5rem; }
  .list { list-style: none; margin: 0 0 1rem; padding: 0; }
  .list li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0;
    border-bottom: 1px solid var(--edge); }
  .list form { flex: none; }
  details { margin-top: 1rem; }
  summary { cursor: pointer; color: var(--accent); font-weight: 550; margin-bottom: .75rem; }
  details:not([open]) summary { margin-bottom: 0; }
  time { white-space: nowrap; }
  body.wide button, body.wide a.button { width: auto; display: inline-block; }
  @media (max-width: 30rem) { main { padding: 1.25rem; } }
`;
