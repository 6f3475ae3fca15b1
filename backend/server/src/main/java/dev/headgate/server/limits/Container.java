package dev.headgate.server.limits;

import dev.headgate.server.HeadgateProperties;
import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** What Tomcat itself refuses, and how it says so. How long it waits is in application.yaml. */
@Component
final class Container implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final int connectionsPerAddress;

    Container(HeadgateProperties properties) {
        this.connectionsPerAddress = properties.limits().connectionsPerAddress();
    }

    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
        tomcat.setProtocol(BoundedProtocol.class.getName());
        tomcat.addConnectorCustomizers(connector -> {
            if (connector.getProtocolHandler() instanceof BoundedProtocol protocol) {
                protocol.bound(connectionsPerAddress);
            }
        });
        tomcat.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemReport.class.getName());
            }
        });
    }
}
