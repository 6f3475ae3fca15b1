package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Version;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/session")
@Tag(name = "access")
class SessionController {

    private final Sessions sessions;
    private final Access access;
    private final String node;

    SessionController(Sessions sessions, Access access, HeadgateProperties properties) {
        this.sessions = sessions;
        this.access = access;
        this.node = properties.node();
    }

    /** Who is asking, and of what. */
    @Schema(name = "Session")
    record SessionJson(String name, String role, String node, String version) {}

    @GetMapping
    SessionJson read() {
        return new SessionJson(access.actor().name(), access.actor().role(), node, Version.current());
    }

    /** Exchanges the token for a cookie that scripts in the page cannot read. */
    @PostMapping
    ResponseEntity<Void> open(HttpServletRequest request) {
        ResponseCookie cookie = cookie(sessions.open(), request).build();
        return ResponseEntity.noContent()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .build();
    }

    @DeleteMapping
    ResponseEntity<Void> end(HttpServletRequest request) {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof Credential credential
                && credential.session() != null) {
            sessions.close(credential.session());
        }
        ResponseCookie cookie = cookie("", request).maxAge(0).build();
        return ResponseEntity.noContent()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .build();
    }

    private static ResponseCookie.ResponseCookieBuilder cookie(String value, HttpServletRequest request) {
        return ResponseCookie.from(CredentialFilter.COOKIE, value)
                .httpOnly(true)
                .sameSite("Strict")
                .secure(request.isSecure())
                .path("/");
    }
}
