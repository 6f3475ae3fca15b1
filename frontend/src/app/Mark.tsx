export function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" fill="none" strokeLinecap="round" aria-hidden="true">
      <path d="M3 3v16M19 3v16M3 6h16" stroke="var(--text)" strokeWidth="2" />
      <path d="M7 9.5v5M11 9.5v5M15 9.5v5" stroke="var(--accent)" strokeWidth="2.4" />
      <path d="M5 18.5q3-2 6 0t6 0" stroke="var(--accent)" strokeWidth="1.6" />
    </svg>
  );
}
