// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { useHeldOrder } from "./heldOrder";

const itself = (name: string) => name;

function List({ names }: { names: readonly string[] }) {
  const { rows, holding } = useHeldOrder(names, itself);
  return (
    <>
      <div {...holding}>
        {rows.map((name) => (
          <button type="button" key={name}>
            {name}
          </button>
        ))}
      </div>
      <input aria-label="elsewhere" />
    </>
  );
}

afterEach(cleanup);
const shown = () => screen.getAllByRole("button").map((row) => row.textContent);
const focus = (element: HTMLElement) => act(() => element.focus());

it("follows the order while no row has the focus", () => {
  const { rerender } = render(<List names={["bank", "shop"]} />);
  rerender(<List names={["shop", "bank"]} />);
  expect(shown()).toEqual(["shop", "bank"]);
});

it("keeps every row in its place while one has the focus, puts new ones last, and follows again afterwards", () => {
  const { rerender } = render(<List names={["bank", "shop", "mail"]} />);
  const bank = screen.getByText("bank");
  focus(bank);
  rerender(<List names={["new", "mail", "shop", "bank"]} />);
  expect(shown()).toEqual(["bank", "shop", "mail", "new"]);
  expect(document.activeElement).toBe(bank);
  focus(screen.getByText("shop")); // another row of the list
  expect(shown()).toEqual(["bank", "shop", "mail", "new"]);
  focus(screen.getByLabelText("elsewhere"));
  expect(shown()).toEqual(["new", "mail", "shop", "bank"]);
});

it("follows again when the row that has the focus is taken away", () => {
  const { rerender } = render(<List names={["bank", "shop", "mail"]} />);
  focus(screen.getByText("bank"));
  rerender(<List names={["mail", "shop"]} />);
  rerender(<List names={["mail", "shop"]} />);
  expect(shown()).toEqual(["mail", "shop"]);
});
