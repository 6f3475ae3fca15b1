// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openPalette, Palette } from "./Palette";

const stage = vi.hoisted(() => ({ pools: [] as unknown[], gallery: null as string | null, navigate: vi.fn() }));
vi.mock("@/stream/hooks", () => ({ usePools: () => stage.pools }));
vi.mock("@/api/workloads", () => ({ useGalleryDomain: () => stage.gallery }));
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => stage.navigate }));

// Browser functions that jsdom lacks.
vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
Element.prototype.scrollIntoView = () => {};

const pool = (domain: string, waiting: number) => ({
  domain,
  database: "main",
  waiting,
  health: { severity: "fine", label: "fine" },
});
const drawn = () => (
  <MantineProvider>
    <Palette />
  </MantineProvider>
);

beforeEach(() => {
  stage.pools = [];
  stage.gallery = null;
  stage.navigate.mockReset();
});
afterEach(cleanup);

test("a domain that arrives after its name was typed is opened by Enter", async () => {
  const { rerender } = render(drawn());
  act(openPalette);
  await userEvent.type(screen.getByRole("textbox"), "auction");
  stage.pools = [pool("auction", 0)];
  rerender(drawn());
  await userEvent.keyboard("{Enter}");
  expect(stage.navigate).toHaveBeenCalledWith({ to: "/domains/$domain", params: { domain: "auction" } });
});

test("what is typed before the palette's field has the focus is typed into it", async () => {
  stage.pools = [pool("auction", 0), pool("bank", 0)];
  render(drawn());
  openPalette(); // not drawn yet
  for (const key of "bank") fireEvent.keyDown(document.body, { key });
  expect(await screen.findByDisplayValue("bank")).toBe(screen.getByRole("textbox"));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox")));
  await userEvent.keyboard("{Enter}");
  expect(stage.navigate).toHaveBeenCalledWith({ to: "/domains/$domain", params: { domain: "bank" } });
});

test("what is typed once the palette is drawn, but has not the focus yet, is typed into it", () => {
  render(drawn());
  act(openPalette);
  for (const key of "bank") fireEvent.keyDown(document.body, { key });
  const field = screen.getByDisplayValue("bank");
  expect(document.activeElement).not.toBe(field);
  fireEvent.keyDown(document.body, { key: "Escape" });
});

test("the portraits are found where the demo's gallery is", async () => {
  stage.gallery = "gallery";
  render(drawn());
  act(openPalette);
  await userEvent.type(screen.getByRole("textbox"), "portraits");
  await userEvent.keyboard("{Enter}");
  expect(stage.navigate).toHaveBeenCalledWith({ to: "/domains/$domain/gallery", params: { domain: "gallery" } });
});
