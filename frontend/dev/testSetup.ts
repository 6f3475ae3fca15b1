// Runs before every test file.
import { configure } from "@testing-library/dom";

// A machine under load must not fail a test: only the wait for what never comes is bounded.
configure({ asyncUtilTimeout: 20_000 });

// What jsdom lacks. Every media query is met, so that nothing moves.
if (typeof window !== "undefined") {
  window.matchMedia ??= () => ({ matches: true, addEventListener() {}, removeEventListener() {} }) as never;
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
}
