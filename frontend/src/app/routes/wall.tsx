import { Wall } from "@/features/overview";
import { usePageTitle } from "@/ui/title";

export function WallRoute() {
  usePageTitle("Wall");
  return <Wall />;
}
