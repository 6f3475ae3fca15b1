package dev.headgate.server.live;

import com.fasterxml.jackson.databind.JavaType;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.converter.ResolvedSchema;
import io.swagger.v3.core.util.Json;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.stereotype.Component;

/**
 * Adds the stream's frames to the schemas of the OpenAPI document, so that the dashboard's types are generated from it. {@code
 * StreamFrame} is any of them.
 */
@Component
class StreamSchemas implements OpenApiCustomizer, ModelConverter {

    private static final List<Class<?>> SHAPES = List.of(
            Frame.Hello.class,
            Frame.Snapshot.class,
            Frame.Delta.class,
            Frame.Bookmark.class,
            Event.PolicyChanged.class,
            Event.Decided.class,
            Event.AlarmChanged.class,
            Event.DomainsChanged.class,
            Event.AlarmsChanged.class,
            Event.AnnotationChanged.class,
            PoolDelta.class);

    @Override
    public void customise(OpenAPI document) {
        ModelConverters converters = ModelConverters.getInstance(true);
        for (Class<?> shape : SHAPES) {
            ResolvedSchema resolved = converters.resolveAsResolvedSchema(new AnnotatedType(shape));
            resolved.referencedSchemas.forEach((name, schema) -> put(document, name, schema));
        }
        put(document, "PoolDelta", both(reference("Pool"), object("sample", reference("Sample"))));
        put(
                document,
                "StreamEvent",
                oneOf("PolicyEvent", "DecisionEvent", "AlarmEvent", "DomainsEvent", "AlarmsEvent", "AnnotationEvent"));
        put(
                document,
                "StreamEventFrame",
                both(reference("StreamEvent"), both(object("node", type("string")), object("seq", type("integer")))));
        put(
                document,
                "StreamFrame",
                oneOf("StreamHello", "StreamSnapshot", "StreamDelta", "StreamEventFrame", "StreamBookmark"));
    }

    @Override
    public boolean isOpenapi31() {
        return true;
    }

    /** An encoded or deferred value has the shape of the value. */
    @Override
    public @Nullable Schema<?> resolve(
            AnnotatedType type, ModelConverterContext context, Iterator<ModelConverter> chain) {
        JavaType java = Json.mapper().constructType(type.getType());
        if (java.hasRawClass(Encoded.class) || java.hasRawClass(Deferred.class)) {
            return context.resolve(new AnnotatedType(java.containedType(0))
                    .resolveAsRef(true)
                    .jsonViewAnnotation(type.getJsonViewAnnotation()));
        }
        return chain.hasNext() ? chain.next().resolve(type, context, chain) : null;
    }

    private static void put(OpenAPI document, String name, Schema<?> schema) {
        document.getComponents().addSchemas(name, schema);
    }

    private static Schema<?> both(Schema<?> one, Schema<?> other) {
        return new JsonSchema().allOf(List.of(one, other));
    }

    private static Schema<?> oneOf(String... names) {
        Schema<?> choice = new JsonSchema();
        Stream.of(names).forEach(name -> choice.addOneOfItem(reference(name)));
        return choice;
    }

    private static Schema<?> object(String property, Schema<?> of) {
        Schema<?> object = type("object");
        object.addProperty(property, of);
        object.addRequiredItem(property);
        return object;
    }

    private static Schema<?> type(String type) {
        return new JsonSchema().types(Set.of(type));
    }

    private static Schema<?> reference(String name) {
        return new JsonSchema().$ref("#/components/schemas/" + name);
    }
}
