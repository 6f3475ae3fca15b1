import { getRouteApi, Link } from "@tanstack/react-router";
import { useGalleryDomain } from "@/api/workloads";
import { Gallery } from "@/features/gallery";
import { usePageTitle } from "@/ui/title";

const api = getRouteApi("/domains/$domain/gallery");

export function GalleryRoute() {
  const { domain } = api.useParams();
  usePageTitle(`Portraits of ${domain}`);
  const gallery = useGalleryDomain();
  if (gallery !== undefined && gallery !== domain) {
    return (
      <div className="panel empty">
        <h1>There are no portraits in {domain}</h1>
        <p>
          {gallery === null ? "Headgate runs without the demo's gallery." : `The demo's portraits are in ${gallery}.`}
        </p>
      </div>
    );
  }
  return (
    <>
      <div className="row wrap">
        <h1>Portraits of {domain}</h1>
        <span className="muted">Rows with their images, from the database into the page as they arrive.</span>
        <span className="grow" />
        <Link to="/domains/$domain" params={{ domain }} className="btn">
          Back to {domain}
        </Link>
      </div>
      <Gallery key={domain} domain={domain} />
    </>
  );
}
