package dev.headgate.server.live;

import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * A value that is made when its frame is written and kept by nobody, so that a frame with many of them has one at a time in memory.
 *
 * @param make called by the thread that writes the frame
 */
record Deferred<T>(Supplier<T> make) implements JacksonSerializable {

    @Override
    public void serialize(JsonGenerator generator, SerializationContext context) {
        generator.writePOJO(make.get());
    }

    @Override
    public void serializeWithType(JsonGenerator generator, SerializationContext context, TypeSerializer type) {
        serialize(generator, context);
    }
}
