package dev.headgate.server.limits;

import dev.headgate.server.HeadgateProperties;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.RemoteIpValve;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Tomcat's own limits, and the form of its refusals. Its timeouts are in application.yaml. */
@Component
final class Container implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final int connectionsPerAddress;
    private final Duration headersWithin;
    private final Duration silence;
    private final Set<InetAddress> proxies;
    private final Departures departures;

    Container(HeadgateProperties properties, Departures departures) {
        this.departures = departures;
        this.connectionsPerAddress = properties.limits().connectionsPerAddress();
        this.headersWithin = properties.limits().headersWithin();
        this.silence = properties.sql().silence();
        this.proxies = Set.copyOf(properties.access().trustedProxies());
    }

    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
        long heap = Runtime.getRuntime().maxMemory();
        tomcat.setProtocol(BoundedProtocol.class.getName());
        tomcat.addConnectorCustomizers(connector -> {
            connector.setParseBodyMethods(
                    ""); // Tomcat would read forms past the limits of bodies, and nobody reads any
            if (connector.getProtocolHandler() instanceof BoundedProtocol protocol) {
                protocol.bound(
                        connectionsPerAddress,
                        BoundedProtocol.connectionsWithin(heap),
                        BoundedProtocol.unfinishedWithin(heap),
                        headersWithin,
                        silence,
                        proxies);
                departures.follow(protocol);
            }
        });
        if (!proxies.isEmpty()) {
            tomcat.addEngineValves(behind(proxies));
        }
        tomcat.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemReport.class.getName());
            }
        });
    }

    /** Takes the client's address and scheme from the headers of these proxies, and ignores such headers from others. */
    private static RemoteIpValve behind(Set<InetAddress> proxies) {
        RemoteIpValve valve = new RemoteIpValve();
        valve.setInternalProxies(proxies.stream()
                .map(proxy -> Pattern.quote(proxy.getHostAddress()))
                .collect(Collectors.joining("|")));
        valve.setRemoteIpHeader("X-Forwarded-For");
        valve.setProtocolHeader("X-Forwarded-Proto");
        return valve;
    }
}
