type Props = {
  label: string;
  value?: string;
  options: readonly string[];
  /** What people call an option. */
  name?: (option: string) => string;
  onChange: (value?: string) => void;
};

/** Filters a list by one of some values. A value that the address names is shown also if it is none of them. */
export function Choice({ label, value = "", options, name = (option) => option, onChange }: Props) {
  return (
    <span className="inp">
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value || undefined)}>
        <option value="">{label}: all</option>
        {[...new Set([...options, value].filter(Boolean))].map((option) => (
          <option key={option} value={option}>
            {name(option)}
          </option>
        ))}
      </select>
    </span>
  );
}
