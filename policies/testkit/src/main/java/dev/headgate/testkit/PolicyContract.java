package dev.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What every policy keeps, whatever it decides. A policy's test extends this class, names its factory, and adds what is
 * its own:
 *
 * <pre>{@code
 * class MinMaxTest extends PolicyContract {
 *     @Override protected PolicyFactory factory() { return new MinMaxFactory(); }
 * }
 * }</pre>
 *
 * <p>The policy is shown thousands of {@linkplain Views seeded views}, sane and insane ones: empty windows, pools of
 * size 0, latencies of an hour, clocks that stand still.
 */
public abstract class PolicyContract {

    private static final int STORIES = 40;
    private static final int STEPS = 250;

    /** "1 connections", but not "0 to 1 connections". */
    private static final Pattern WRONG_PLURAL =
            Pattern.compile("(?<!to )\\b1 (connections|requests|leases|domains|windows|seconds|do)\\b");

    private final JsonMapper json = JsonMapper.builder().build();

    /** A new factory, as the service loader would make it. */
    protected abstract PolicyFactory factory();

    /** The parameters without a default that the policy cannot do without. */
    protected Map<String, Object> required() {
        return Map.of();
    }

    /** Further sets of parameters to try, beside the defaults. */
    protected List<Map<String, Object>> variants() {
        return List.of();
    }

    /** A policy with the schema's defaults, {@link #required()}, and these in their place. */
    protected final Policy policy(Map<String, Object> parameters) {
        return factory().create(parameters(parameters));
    }

    private Parameters parameters(Map<String, Object> parameters) {
        Map<String, Object> all = defaults();
        all.putAll(required());
        all.putAll(parameters);
        return Parameters.of(all);
    }

    @Test
    protected final void isFoundByTheServiceLoader() {
        assertThat(ServiceLoader.load(PolicyFactory.class))
                .as("META-INF/services/%s", PolicyFactory.class.getName())
                .anySatisfy(found -> assertThat(found).hasSameClassAs(factory()));
        assertThat(factory().id()).matches("[a-z][a-z0-9-]*");
        assertThat(factory().description()).as("one sentence").endsWith(".").hasSizeBetween(20, 200);
    }

    @Test
    protected final void describesItsParametersForPeople() {
        JsonNode schema = schema();
        assertThat(schema.path("type").asString("")).isEqualTo("object");
        assertThat(schema.path("additionalProperties").asBoolean(true))
                .as("a misspelt parameter is refused")
                .isFalse();
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            assertThat(property.getValue().path("title").asString(""))
                    .as("title of %s", property.getKey())
                    .isNotBlank();
            assertThat(property.getValue().path("description").asString(""))
                    .as("description of %s", property.getKey())
                    .endsWith(".");
            String type = property.getValue().path("type").asString("");
            if (type.equals("integer") || type.equals("number")) {
                assertThat(property.getValue().has("minimum")
                                || property.getValue().has("exclusiveMinimum"))
                        .as("%s has a lower bound", property.getKey())
                        .isTrue();
                assertThat(property.getValue().has("maximum")
                                || property.getValue().has("exclusiveMaximum"))
                        .as("%s has an upper bound", property.getKey())
                        .isTrue();
            }
        }
    }

    @Test
    protected final void acceptsItsOwnDefaultsAndRefusesWhatItDoesNotKnow() {
        assertThat(validate(parameters(Map.of()))).isEmpty();
        for (Map<String, Object> variant : variants()) {
            assertThat(validate(parameters(variant))).as("%s", variant).isEmpty();
        }
        assertThat(validate(parameters(Map.of("no-such-parameter", 1)))).isNotEmpty();
    }

    @Test
    protected final void namesTheParameterThatIsOfTheWrongType() {
        for (String name : schema().path("properties").propertyNames()) {
            assertThatThrownBy(() -> policy(Map.of(name, List.of("neither a number nor a text"))))
                    .as("parameter %s", name)
                    .isInstanceOfSatisfying(
                            InvalidParametersException.class,
                            e -> assertThat(e.faults())
                                    .anyMatch(fault -> fault.parameter().equals(name)));
        }
    }

    @Test
    protected final void answersEveryViewWithLimitsThatHold() throws Exception {
        for (Map<String, Object> variant : everyVariant()) {
            for (long seed = 0; seed < STORIES; seed++) {
                Views views = new Views(seed);
                try (Policy policy = policy(variant)) {
                    for (int step = 0; step < STEPS; step++) {
                        Views.Step next = views.next();
                        next.window().ifPresent(policy::observe);
                        Limits limits = policy.limits(next.view());
                        assertThat(limits)
                                .as("%s seed %d step %d", variant, seed, step)
                                .isNotNull();
                        assertThat(limits.effectiveFloor()).isLessThanOrEqualTo(limits.ceiling());
                        assertThat(limits.floor())
                                .as(
                                        "its own floor does not pass its own ceiling: %s seed %d step %d",
                                        variant, seed, step)
                                .isLessThanOrEqualTo(limits.ceiling());
                        if (limits.ceiling() != Limits.UNSPECIFIED) {
                            assertThat(limits.reason())
                                    .as("a ceiling has a reason: %s seed %d step %d", variant, seed, step)
                                    .isNotBlank();
                        }
                        assertThat(limits.reason())
                                .as("one is singular: %s seed %d step %d", variant, seed, step)
                                .doesNotContainPattern(WRONG_PLURAL);
                        assertThat(limits.alarms()).allSatisfy(alarm -> {
                            assertThat(alarm.message()).doesNotContainPattern(WRONG_PLURAL);
                            assertThat(alarm.code()).matches("[a-z][a-z0-9-]*");
                            assertThat(alarm.message()).endsWith(".");
                        });
                    }
                }
            }
        }
    }

    @Test
    protected final void answersTheSameToTheSameViews() throws Exception {
        for (Map<String, Object> variant : everyVariant()) {
            for (long seed = 0; seed < STORIES; seed++) {
                assertThat(story(variant, seed)).as("%s seed %d", variant, seed).isEqualTo(story(variant, seed));
            }
        }
    }

    private List<Limits> story(Map<String, Object> variant, long seed) throws Exception {
        Views views = new Views(seed);
        List<Limits> answers = new ArrayList<>();
        try (Policy policy = policy(variant)) {
            for (int step = 0; step < STEPS; step++) {
                Views.Step next = views.next();
                next.window().ifPresent(policy::observe);
                answers.add(policy.limits(next.view()));
            }
        }
        return answers;
    }

    private List<Map<String, Object>> everyVariant() {
        List<Map<String, Object>> all = new ArrayList<>(variants());
        all.addFirst(Map.of());
        return all;
    }

    private List<com.networknt.schema.Error> validate(Parameters parameters) {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(factory().parameterSchema(), InputFormat.JSON);
        return schema.validate(json.writeValueAsString(parameters.values()), InputFormat.JSON);
    }

    private JsonNode schema() {
        return json.readTree(factory().parameterSchema());
    }

    private Map<String, Object> defaults() {
        Map<String, Object> defaults = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> property : schema().path("properties").properties()) {
            if (property.getValue().has("default")) {
                defaults.put(
                        property.getKey(), json.treeToValue(property.getValue().path("default"), Object.class));
            }
        }
        return defaults;
    }
}
