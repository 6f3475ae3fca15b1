package dev.headgate.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JavaType;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverter;
import io.swagger.v3.core.converter.ModelConverterContext;
import io.swagger.v3.core.util.Json;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Makes the OpenAPI document say of our records what the compiler knows of them, so that types generated from it are
 * exact: a component is nullable where it is {@code @Nullable} (also inside a list), and required. In a record whose name
 * ends in {@code Request}, or whose JSON has no nulls, a nullable component may also be left out; a {@code Request} has no
 * other fields. Bounds of {@code @Range} are told, also of a map's values, and what its names may be.
 *
 * <p>Called by springdoc when it builds the document, on one thread at a time.
 */
@Component
final class RecordSchemas implements ModelConverter {

    private static final String REFERENCE = "#/components/schemas/";

    @Override
    public boolean isOpenapi31() {
        return true;
    }

    @Override
    public @Nullable Schema<?> resolve(
            AnnotatedType type, ModelConverterContext context, Iterator<ModelConverter> chain) {
        if (!chain.hasNext()) {
            return null;
        }
        Schema<?> resolved = chain.next().resolve(type, context, chain);
        JavaType java = Json.mapper().constructType(type.getType());
        if (resolved != null
                && java.isRecordType()
                && java.getRawClass().getName().startsWith("dev.headgate.")) {
            Schema<?> defined = resolved.get$ref() == null
                    ? resolved
                    : context.getDefinedModels().get(resolved.get$ref().substring(REFERENCE.length()));
            if (defined != null && defined.getProperties() != null) {
                refine(defined, java.getRawClass());
            }
        }
        return resolved;
    }

    private static void refine(Schema<?> schema, Class<?> record) {
        boolean mayLeaveOut = record.getSimpleName().endsWith("Request") || leavesNullOut(record);
        Set<String> required = new LinkedHashSet<>(schema.getRequired() == null ? List.of() : schema.getRequired());
        Map<String, Schema<?>> properties = properties(schema);
        for (RecordComponent component : record.getRecordComponents()) {
            Schema<?> property = properties.get(jsonName(component));
            if (property == null) {
                continue;
            }
            if (property.get$ref() != null) { // nothing beside it: swagger adds what the Java type is
                property = new JsonSchema().$ref(property.get$ref());
                properties.put(jsonName(component), property);
            }
            boolean nullable = isNullable(component.getAnnotatedType());
            if (!nullable || !(mayLeaveOut || isOptional(component))) {
                required.add(jsonName(component));
            }
            bound(property, accessorAnnotation(record, component, Range.class));
            if (component.getType() == Map.class) {
                describeMap(property, component, accessorAnnotation(record, component, Size.class));
            }
            if (nullable) {
                properties.put(jsonName(component), orNull(property));
            }
            if (property.getItems() != null && hasNullableElement(component.getAnnotatedType())) {
                property.setItems(orNull(property.getItems()));
            }
        }
        schema.setRequired(new ArrayList<>(required));
        if (record.getSimpleName().endsWith("Request")) {
            schema.setAdditionalProperties(false);
        }
    }

    private static void bound(Schema<?> number, @Nullable Range range) {
        if (range != null) {
            number.setMinimum(BigDecimal.valueOf(range.min()));
            number.setMaximum(BigDecimal.valueOf(range.max()));
        }
    }

    /** Says of a map how many entries it may have, what their names are, and how large their values. */
    private static void describeMap(Schema<?> map, RecordComponent component, @Nullable Size entries) {
        if (!(component.getAnnotatedType() instanceof AnnotatedParameterizedType type)
                || !(map.getAdditionalProperties() instanceof Schema<?> value)) {
            return;
        }
        if (entries != null) {
            map.setMaxProperties(entries.max());
        }
        Pattern names = type.getAnnotatedActualTypeArguments()[0].getAnnotation(Pattern.class);
        if (names != null) {
            Schema<?> name = new JsonSchema().types(Set.of("string"));
            name.setPattern(names.regexp());
            map.setPropertyNames(name);
        }
        AnnotatedElement values = type.getAnnotatedActualTypeArguments()[1];
        bound(value, values.getAnnotation(Range.class));
        Size length = values.getAnnotation(Size.class);
        if (length != null) {
            value.setMaxLength(length.max());
        }
    }

    @SuppressWarnings("unchecked") // swagger-models declares its maps raw
    private static Map<String, Schema<?>> properties(Schema<?> schema) {
        return (Map<String, Schema<?>>) (Map<?, ?>) schema.getProperties();
    }

    private static String jsonName(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null ? component.getName() : named.value();
    }

    private static boolean leavesNullOut(AnnotatedElement type) {
        JsonInclude included = type.getAnnotation(JsonInclude.class);
        return included != null && included.value() == JsonInclude.Include.NON_NULL;
    }

    /** Left out of an answer where it is null, or always there in one, and yet a request with it may leave it out. */
    private static boolean isOptional(RecordComponent component) {
        if (leavesNullOut(component.getAccessor())) {
            return true;
        }
        io.swagger.v3.oas.annotations.media.@Nullable Schema said =
                component.getAccessor().getAnnotation(io.swagger.v3.oas.annotations.media.Schema.class);
        return said != null
                && said.requiredMode() == io.swagger.v3.oas.annotations.media.Schema.RequiredMode.NOT_REQUIRED;
    }

    private static <A extends Annotation> @Nullable A accessorAnnotation(
            Class<?> record, RecordComponent component, Class<A> type) {
        try {
            return record.getDeclaredField(component.getName()).getAnnotation(type);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isNullable(java.lang.reflect.AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    private static boolean hasNullableElement(java.lang.reflect.AnnotatedType type) {
        return switch (type) {
            case AnnotatedParameterizedType generic -> isNullable(generic.getAnnotatedActualTypeArguments()[0]);
            case AnnotatedArrayType array -> isNullable(array.getAnnotatedGenericComponentType());
            default -> false;
        };
    }

    /** The same schema, allowing null; applying it twice changes nothing more. */
    private static Schema<?> orNull(Schema<?> schema) {
        if (schema.get$ref() != null || schema.getEnum() != null) {
            return new JsonSchema().anyOf(List.of(schema, new JsonSchema().types(Set.of("null"))));
        }
        if (schema.getTypes() != null) {
            schema.addType("null");
        }
        return schema;
    }
}
