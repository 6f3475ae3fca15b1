// Runs before every test file. A machine under load must not fail a test: only the wait for what never comes is bounded.
import { configure } from "@testing-library/dom";

configure({ asyncUtilTimeout: 20_000 });
