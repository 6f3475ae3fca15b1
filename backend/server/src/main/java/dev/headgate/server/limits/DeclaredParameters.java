package dev.headgate.server.limits;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Refuses what an operation does not declare, as unknown fields of a body are refused: a query parameter that is misspelt, or
 * a {@linkplain CareHeaders precondition} that nobody would look at, would otherwise let a change through without the care that was
 * asked for. So would a body that nobody reads. Refuses a content type that stands for several, and a body that is packed, too.
 */
final class DeclaredParameters implements HandlerInterceptor {

    private final Map<HandlerMethod, Declared> known = new ConcurrentHashMap<>();

    /**
     * What an operation reads.
     *
     * @param body whether it may read the body
     * @param anyType whether it reads the bytes of a body itself, whatever their type is said to be
     */
    private record Declared(TreeMap<String, Query> parameters, Set<String> headers, boolean body, boolean anyType) {

        static Declared by(HandlerMethod method) {
            TreeMap<String, Query> parameters = new TreeMap<>();
            Set<String> headers = new HashSet<>();
            boolean body = false;
            for (MethodParameter parameter : method.getMethodParameters()) {
                body |= mayBeBody(parameter);
                @Nullable RequestParam query = parameter.getParameterAnnotation(RequestParam.class);
                if (query != null) {
                    parameters.put(
                            query.name().isEmpty() ? name(parameter) : query.name(),
                            Query.of(parameter.getParameterType()));
                }
                @Nullable RequestHeader header = parameter.getParameterAnnotation(RequestHeader.class);
                if (header != null) {
                    headers.add(header.name());
                }
            }
            @Nullable RequestMapping mapping = method.getMethodAnnotation(RequestMapping.class);
            boolean anyType =
                    mapping != null && Arrays.asList(mapping.consumes()).contains(MediaType.ALL_VALUE);
            return new Declared(parameters, headers, body, anyType);
        }

        private static boolean mayBeBody(MethodParameter parameter) {
            return parameter.hasParameterAnnotation(RequestBody.class)
                    || parameter.getParameterType() == InputStream.class
                    || parameter.getParameterType() == HttpServletRequest.class;
        }

        private static String name(MethodParameter parameter) {
            return String.valueOf(parameter.getParameter().getName());
        }
    }

    /**
     * One query parameter.
     *
     * @param several whether it may be there several times
     * @param text whether an empty value is one
     * @param form of its value
     */
    record Query(boolean several, boolean text, Form form) {
        static Query of(Class<?> type) {
            boolean several = Collection.class.isAssignableFrom(type);
            return new Query(several, several || type == String.class, Form.of(type));
        }
    }

    /** The form of a value, as JSON has it: Spring would take {@code yes} and {@code 0x10} as well. */
    private enum Form {
        ANY(".*", "anything"),
        TRUTH("true|false", "true or false"),
        WHOLE("-?(0|[1-9][0-9]*)", "a whole number");

        private final Pattern pattern;
        private final String allowed;

        Form(String pattern, String allowed) {
            this.pattern = Pattern.compile(pattern, Pattern.DOTALL);
            this.allowed = allowed;
        }

        static Form of(Class<?> type) {
            Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
            return boxed == Boolean.class ? TRUTH : boxed == Integer.class || boxed == Long.class ? WHOLE : ANY;
        }
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (!(handler instanceof HandlerMethod method) || request.getDispatcherType() != DispatcherType.REQUEST) {
            return true;
        }
        Declared declared = known.computeIfAbsent(method, Declared::by);
        check(request, declared.parameters(), declared.headers());
        if (!declared.body() && CareHeaders.changes(request.getMethod()) && CountedBody.isIn(request)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST, "This operation reads no body, and this request has one.");
        }
        if (!declared.anyType()) {
            checkContentType(request.getContentType());
        }
        checkContentCoding(request);
        return true;
    }

    /** @param headers that are read */
    static void check(HttpServletRequest request, Map<String, Query> declared, Set<String> headers) {
        @Nullable String query = request.getQueryString();
        if (query != null && !query.isEmpty()) {
            check(query, declared);
        }
        for (CareHeaders care : CareHeaders.of(request)) {
            if (!headers.contains(care.header())) {
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        care.header() + " is not honoured here: " + care.why() + ". Send it without.");
            }
        }
    }

    /** Parameters that are texts. */
    static Map<String, Query> texts(String... names) {
        return Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> Query.of(String.class)));
    }

    /**
     * Spring compares the type with those that the operation reads, but fails at one with a wildcard; it reads a form as if
     * its fields were in the query; and it reads a body in any charset, whose brackets and commas {@link JsonMarks} does not know.
     */
    private static void checkContentType(@Nullable String header) {
        if (header != null && !isOneType(header)) {
            throw ProblemException.of(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE,
                    "The content type of the body is '" + header
                            + "'; allowed is the one type that the operation reads, in UTF-8.");
        }
    }

    /** Nobody unpacks a body: one that is packed would be read as it is, and be told that it is malformed. */
    private static void checkContentCoding(HttpServletRequest request) {
        for (String coding : Collections.list(request.getHeaders(HttpHeaders.CONTENT_ENCODING))) {
            if (!coding.strip().equalsIgnoreCase("identity") && CountedBody.isIn(request)) {
                throw ProblemException.of(
                        ProblemType.UNSUPPORTED_MEDIA_TYPE,
                        "The body is sent with Content-Encoding: " + coding
                                + "; no coding is read here. Send it plain.");
            }
        }
    }

    private static boolean isOneType(String header) {
        try {
            MediaType type = MediaType.parseMediaType(header);
            return type.isConcrete()
                    && !type.isCompatibleWith(MediaType.APPLICATION_FORM_URLENCODED)
                    && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
        } catch (InvalidMediaTypeException e) {
            return false;
        }
    }

    private static void check(String query, Map<String, Query> declared) {
        Set<String> seen = new HashSet<>();
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            String value = decoded(equals < 0 ? "" : pair.substring(equals + 1));
            @Nullable Query parameter = declared.get(name);
            if (parameter == null) {
                String allowed = declared.isEmpty() ? "none" : String.join(", ", declared.keySet());
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "'" + name + "' is not a query parameter of this operation; allowed: " + allowed + ".",
                        Fault.at("", "the query parameter '" + name + "' is not known here", allowed));
            }
            if ((value.isEmpty() && !parameter.text()) || value.indexOf('\0') >= 0) {
                String fault = value.isEmpty() ? "has no value" : "holds a NUL character";
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "The query parameter '" + name + "' " + fault + ".",
                        Fault.at("", "the query parameter '" + name + "' " + fault));
            }
            if (!parameter.form().pattern.matcher(value).matches()) {
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "'" + name + "' cannot be '" + value + "'; allowed is " + parameter.form().allowed + ".");
            }
            if (!seen.add(name) && !parameter.several()) {
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST, "The query parameter '" + name + "' is there twice.");
            }
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST, "The query is not percent-encoded as RFC 3986 asks for.");
        }
    }
}
