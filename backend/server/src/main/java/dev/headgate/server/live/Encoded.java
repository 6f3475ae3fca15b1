package dev.headgate.server.live;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * A value for the frames of several clients, encoded as JSON once, by the first client that sends it. Safe for use by several threads;
 * two at the same time may both encode it, with the same result.
 */
final class Encoded<T> implements JacksonSerializable {

    private final T value;
    private final JsonMapper mapper;
    private volatile @Nullable String json;

    Encoded(T value, JsonMapper mapper) {
        this.value = value;
        this.mapper = mapper;
    }

    T value() {
        return value;
    }

    String json() {
        String known = json;
        if (known == null) {
            known = mapper.writeValueAsString(value);
            json = known;
        }
        return known;
    }

    @Override
    public void serialize(JsonGenerator generator, SerializationContext context) {
        generator.writeRawValue(json());
    }

    @Override
    public void serializeWithType(JsonGenerator generator, SerializationContext context, TypeSerializer type) {
        serialize(generator, context);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Encoded<?> that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return Objects.hash(value);
    }

    @Override
    public String toString() {
        return "Encoded[" + value + "]";
    }
}
