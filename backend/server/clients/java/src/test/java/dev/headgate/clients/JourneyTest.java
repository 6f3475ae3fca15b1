package dev.headgate.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headgate.clients.api.DomainsApi;
import dev.headgate.clients.api.HistoryApi;
import dev.headgate.clients.api.PoliciesApi;
import dev.headgate.clients.invoker.ApiClient;
import dev.headgate.clients.invoker.ApiException;
import dev.headgate.clients.invoker.ApiResponse;
import dev.headgate.clients.model.Domain;
import dev.headgate.clients.model.DomainsList;
import dev.headgate.clients.model.PolicySet;
import dev.headgate.clients.model.PolicySetRevision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One journey with the client that openapi-generator makes, against a service with its demo. */
class JourneyTest {

    private static final String DOMAIN = "gallery";

    private final ApiClient client = client();
    private final DomainsApi domains = new DomainsApi(client);
    private final PoliciesApi policies = new PoliciesApi(client);
    private final HistoryApi history = new HistoryApi(client);

    private static ApiClient client() {
        String token = System.getenv("HEADGATE_TOKEN");
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("HEADGATE_URL"));
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
        return client;
    }

    @Test
    void aListIsFollowedPageByPage() throws ApiException {
        List<String> names = new ArrayList<>();
        String cursor = null;
        do {
            DomainsList page = domains.listDomains(null, null, null, null, null, 1, cursor);
            page.getItems().forEach(domain -> names.add(domain.getName()));
            cursor = page.getNextCursor();
        } while (cursor != null);
        assertThat(names).containsExactly("auction", "bank", "gallery");
    }

    @Test
    void aDomainIsRead() throws ApiException {
        Domain domain = domains.readDomain(DOMAIN);
        assertThat(domain.getPool().getDomain()).isEqualTo(DOMAIN);
        assertThat(domain.getWire().getMaxClients()).isPositive();
    }

    @Test
    void whatIsNotThereIsAProblem() throws Exception {
        ApiException missing = catchThrowableOfType(ApiException.class, () -> domains.readDomain("nobody"));
        assertThat(missing.getCode()).isEqualTo(404);
        assertThat(problem(missing).get("type").asText()).endsWith("/not-found");
    }

    @Test
    void aSetIsPutOnceForEachRevisionAndTheStaleOneIsTold() throws Exception {
        ApiResponse<PolicySetRevision> before = policies.readDomainPoliciesWithHttpInfo(DOMAIN);
        String based = before.getHeaders().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase("ETag"))
                .map(header -> header.getValue().getFirst())
                .findFirst()
                .orElseThrow();
        PolicySet changed = before.getData().getPolicySet();
        changed.getWhenExhausted().setDepth(changed.getWhenExhausted().getDepth() + 1);
        PolicySetRevision put = policies.putDomainPolicies(DOMAIN, based, changed, null);
        assertThat(put.getRevision()).isEqualTo(before.getData().getRevision() + 1);
        changed.getWhenExhausted().setDepth(changed.getWhenExhausted().getDepth() + 1);
        ApiException stale = catchThrowableOfType(
                ApiException.class, () -> policies.putDomainPolicies(DOMAIN, based, changed, null));
        assertThat(stale.getCode()).isEqualTo(412);
        assertThat(problem(stale).get("currentRevision").asLong()).isEqualTo(put.getRevision());
    }

    @Test
    void decisionsAreRead() throws ApiException {
        assertThat(history.listDomainDecisions(DOMAIN, null, null, null, null, null, 2, null).getItems())
                .isNotEmpty()
                .allSatisfy(decision -> assertThat(decision.getDomain()).isEqualTo(DOMAIN));
    }

    private JsonNode problem(ApiException refused) throws Exception {
        return client.getObjectMapper().readTree(refused.getResponseBody());
    }
}
