package dev.headgate.server.sql;

import dev.headgate.server.limits.CareHeaders;
import dev.headgate.server.limits.Preferences;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.BindException;
import org.springframework.validation.Validator;
import org.springframework.web.filter.ServerHttpObservationFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls the controllers of the two doors for SQL past Spring MVC, which takes as long for a short request as everything else that
 * the service does for it (docs/adr/0021). It takes plain requests only, those without a query or a header that would make
 * MVC do more than read the body. All others, and so nearly all that are to be refused, go on to MVC. What fails here becomes a problem by the same handler as there.
 */
@Component
@Order(2) // after the limits
final class PlainRequests extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final String DOMAINS = "/api/v1/domains/";
    private static final String PATTERN = DOMAINS + "{domain}" + NeonController.PATH;

    private final transient SqlController api;
    private final transient NeonController neon;
    private final transient HandlerExceptionResolver problems;
    private final transient Validator validator;
    private final transient ObjectReader reader;

    PlainRequests(
            SqlController api,
            NeonController neon,
            @Qualifier("handlerExceptionResolver") HandlerExceptionResolver problems,
            @Qualifier("mvcValidator") Validator validator,
            JsonMapper json) {
        this.api = api;
        this.neon = neon;
        this.problems = problems;
        this.validator = validator;
        this.reader = json.readerFor(SqlRequest.class);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String path = request.getRequestURI();
        if (!path.endsWith(NeonController.PATH) || !isPlain(request)) {
            chain.doFilter(request, response);
        } else if (path.equals(NeonController.PATH)) {
            answer(path, request, response, () -> neon.execute(request, response));
        } else {
            String domain = domain(path);
            if (domain != null && asksForRows(request)) {
                answer(PATTERN, request, response, () -> api.stream(domain, read(request), request, response));
            } else {
                chain.doFilter(request, response);
            }
        }
    }

    private static boolean isPlain(HttpServletRequest request) {
        return request.getMethod().equals(HttpMethod.POST.name())
                && request.getQueryString() == null
                && !CareHeaders.anyIn(request)
                && request.getHeader(HttpHeaders.CONTENT_ENCODING) == null
                && request.getContentLengthLong() > 0;
    }

    private static boolean asksForRows(HttpServletRequest request) {
        @Nullable String accept = request.getHeader(HttpHeaders.ACCEPT);
        return SqlAnswers.JSON.equals(request.getContentType())
                && (accept == null || SqlAnswers.isOffered(accept))
                && request.getHeader(Preferences.HEADER) == null;
    }

    /** The domain in a path; null if it is not the API's door, or something of it is encoded. */
    private static @Nullable String domain(String path) {
        int to = path.length() - NeonController.PATH.length();
        if (!path.startsWith(DOMAINS) || to <= DOMAINS.length()) {
            return null;
        }
        for (int i = DOMAINS.length(); i < to; i++) {
            char each = path.charAt(i);
            if (each != '-' && !Character.isLetterOrDigit(each)) {
                return null;
            }
        }
        return path.substring(DOMAINS.length(), to);
    }

    private interface Controller {
        void answer() throws Exception;
    }

    private void answer(String pattern, HttpServletRequest request, HttpServletResponse response, Controller by)
            throws ServletException {
        ServerHttpObservationFilter.findObservationContext(request)
                .ifPresent(observed -> observed.setPathPattern(pattern));
        try {
            by.answer();
        } catch (Exception e) {
            if (problems.resolveException(request, response, null, e) == null) {
                throw new ServletException(e);
            }
        }
    }

    private SqlRequest read(HttpServletRequest request) throws IOException, BindException {
        @Nullable SqlRequest body;
        try {
            body = reader.readValue(request.getInputStream());
        } catch (JacksonException e) {
            throw new HttpMessageNotReadableException(e.getOriginalMessage(), e, new ServletServerHttpRequest(request));
        }
        if (body == null) {
            throw new HttpMessageNotReadableException("null", new ServletServerHttpRequest(request));
        }
        if (body.isConstrained()) {
            BindException faults = new BindException(new BeanPropertyBindingResult(body, "body"));
            validator.validate(body, faults);
            if (faults.hasErrors()) {
                throw faults;
            }
        }
        return body;
    }
}
