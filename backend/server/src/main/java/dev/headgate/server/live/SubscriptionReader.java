package dev.headgate.server.live;

import dev.headgate.engine.Shortened;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the messages of clients, which are subscriptions. Unknown fields are refused, as everywhere in the API. */
final class SubscriptionReader {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final List<String> FIELDS =
            List.of("type", "domains", "rateHz", "connections", "seconds", "events", "summary");
    private static final int MOST_NAMES = 1_000;
    private static final double USUAL_RATE = 4;

    private final JsonMapper mapper;

    SubscriptionReader(JsonMapper mapper) {
        this.mapper = mapper;
    }

    Subscription read(String text) throws MalformedMessageException {
        JsonNode message = parse(text);
        if (!message.isObject()) {
            throw new MalformedMessageException("the message must be a JSON object");
        }
        if (!message.path("type").isString()
                || !message.path("type").stringValue().equals("subscribe")) {
            throw new MalformedMessageException("type must be \"subscribe\"");
        }
        for (String field : message.propertyNames()) {
            if (!FIELDS.contains(field)) {
                throw new MalformedMessageException(
                        Shortened.withEllipsis(15, field) + " is no field; allowed are " + String.join(", ", FIELDS));
            }
        }
        if (!message.has("domains")) {
            throw new MalformedMessageException("domains is missing; it lists names, or \"*\"");
        }
        Set<String> domains = names("domains", message.get("domains"));
        return new Subscription(
                domains,
                rate(message.get("rateHz")),
                names("connections", message.get("connections")),
                names("seconds", message.get("seconds")),
                message.hasNonNull("events") ? names("events", message.get("events")) : domains,
                summary(message.get("summary")));
    }

    private JsonNode parse(String text) throws MalformedMessageException {
        try {
            return mapper.readTree(text);
        } catch (JacksonException e) {
            throw new MalformedMessageException("the message must be JSON");
        }
    }

    private static Set<String> names(String field, @Nullable JsonNode list) throws MalformedMessageException {
        if (list == null || list.isNull()) {
            return Set.of();
        }
        if (!list.isArray() || list.size() > MOST_NAMES) {
            throw new MalformedMessageException(field + " must be a list of at most " + MOST_NAMES + " names");
        }
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode entry : list) {
            String name = entry.isString() ? entry.stringValue() : "";
            if (!name.equals(Subscription.EVERY) && !NAME.matcher(name).matches()) {
                throw new MalformedMessageException(field + "/" + names.size()
                        + " must be a domain's name or \"*\", was " + quoted(entry.toString()));
            }
            names.add(name);
        }
        return names;
    }

    private static Summary.@Nullable Part summary(@Nullable JsonNode part) throws MalformedMessageException {
        if (part == null || part.isNull()) {
            return null;
        }
        return switch (part.isString() ? part.stringValue() : "") {
            case "health" -> Summary.Part.HEALTH;
            case "figures" -> Summary.Part.FIGURES;
            default ->
                throw new MalformedMessageException(
                        "summary must be \"health\" or \"figures\", was " + quoted(part.toString()));
        };
    }

    private static double rate(@Nullable JsonNode rate) throws MalformedMessageException {
        if (rate == null || rate.isNull()) {
            return USUAL_RATE;
        }
        double hertz = rate.isNumber() ? rate.doubleValue() : Double.NaN;
        if (!(hertz >= Subscription.LOWEST_RATE && hertz <= Subscription.HIGHEST_RATE)) {
            throw new MalformedMessageException("rateHz must be a number in 0.2..10, was " + quoted(rate.toString()));
        }
        return hertz;
    }

    /** Shortens a text, because a close reason has room for 123 bytes. */
    private static String quoted(String text) {
        return Shortened.withEllipsis(30, text);
    }
}
