package dev.headgate.server.access;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.DispatcherType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;

/** Defines which paths need a credential, and sets the security headers of every answer. */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    /** No inline script, nothing from elsewhere, no framing. Inline styles are how the dashboard's widgets are sized. */
    private static final String CONTENT_SECURITY_POLICY = "default-src 'self'; script-src 'self'; style-src 'self'"
            + " 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src"
            + " 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String[] CLOSED = {"/api/**", "/v3/**", "/actuator/**"};

    @Bean
    SecurityFilterChain security(
            HttpSecurity http,
            Origins origins,
            AdminToken token,
            ReaderToken readerToken,
            Sessions sessions,
            FailedLogins failedLogins,
            RequestRates rates,
            ProblemWriter problems) {
        http.csrf(AbstractHttpConfigurer::disable) // Origin is checked, and the session cookie is SameSite=Strict
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement(AbstractHttpConfigurer::disable) // Sessions has them
                .securityContext(
                        context -> context.securityContextRepository(new RequestAttributeSecurityContextRepository()))
                .headers(headers -> headers.contentSecurityPolicy(csp -> csp.policyDirectives(CONTENT_SECURITY_POLICY))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER))
                        .frameOptions(frame -> frame.deny())
                        .cacheControl(cache -> cache.disable()))
                .addFilterAfter(new OriginFilter(origins, problems), HeaderWriterFilter.class)
                .addFilterBefore(
                        new CredentialFilter(token, readerToken, sessions, failedLogins, problems),
                        AnonymousAuthenticationFilter.class)
                .addFilterAfter(new RateFilter(rates, problems), CredentialFilter.class)
                .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(
                                DispatcherType.ERROR, DispatcherType.ASYNC, DispatcherType.FORWARD)
                        .permitAll()
                        .requestMatchers("/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness")
                        .permitAll()
                        // Without a credential the stream's handler closes with 4401: browsers hide a refused
                        // handshake.
                        .requestMatchers("/api/v1/stream")
                        .permitAll()
                        // a code may stand for the token here; the controller asks for either
                        .requestMatchers(HttpMethod.POST, "/api/v1/session")
                        .permitAll()
                        .requestMatchers(HttpMethod.GET, CLOSED)
                        .authenticated()
                        .requestMatchers(HttpMethod.HEAD, CLOSED)
                        .authenticated()
                        .requestMatchers(HttpMethod.DELETE, "/api/v1/session")
                        .authenticated()
                        // Sql keeps a reader within read-only transactions
                        .requestMatchers("/api/v1/domains/*/sql", "/api/v1/domains/*/sql/**", "/api/v1/sql/**")
                        .authenticated()
                        .requestMatchers(CLOSED)
                        .hasRole(Actor.ADMIN.role())
                        .anyRequest()
                        .permitAll())
                .exceptionHandling(refusal -> refusal.authenticationEntryPoint((request, response, e) -> problems.write(
                                request,
                                response,
                                ProblemException.of(
                                        ProblemType.UNAUTHENTICATED,
                                        "Send 'Authorization: Bearer TOKEN'; the token is in admin-token of the data"
                                                + " folder.")))
                        .accessDeniedHandler((request, response, e) -> problems.write(
                                request,
                                response,
                                ProblemException.of(
                                        ProblemType.FORBIDDEN,
                                        "The reader's token may look at everything and change nothing."))));
        return http.build();
    }

    /** Each filter would be measured twice, which is a fifth of a short request. The request as a whole is measured. */
    @Bean
    SecurityObservationSettings notEachFilter() {
        return SecurityObservationSettings.noObservations();
    }

    /** Every method reaches the API, which answers those that a path does not offer with 405 and what it does offer. */
    @Bean
    HttpFirewall anyMethod() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        firewall.setUnsafeAllowAnyHttpMethod(true);
        firewall.setAllowedHeaderValues(AccessConfiguration::hasNoControls);
        return firewall;
    }

    /** What the firewall asks for by default, without its regular expression, which it would match at each look at a header. */
    private static boolean hasNoControls(String header) {
        for (int i = 0; i < header.length(); ) {
            int each = header.codePointAt(i);
            if (Character.isISOControl(each) || !Character.isDefined(each)) {
                return false;
            }
            i += Character.charCount(each);
        }
        return true;
    }

    /** There are no user names and passwords. This prevents Spring from generating some. */
    @Bean
    AuthenticationManager noPasswords() {
        return authentication -> {
            throw new org.springframework.security.authentication.BadCredentialsException("no password is accepted");
        };
    }
}
