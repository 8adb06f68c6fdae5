package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/** Answers with a Status if Tomcat cannot parse a request or the servlet fails. Tomcat creates it by its class name. */
public final class PlainErrors extends ErrorReportValve {
    @Override
    protected void report(Request request, Response response, Throwable throwable) {
        int code = response.getStatus();
        if (code < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        try {
            response.setContentType("application/json");
            response.getReporter().write(new String(Refusals
                    .status(code, code < 500 ? "the request could not be read" : "the request could not be answered")
                    .body(), StandardCharsets.UTF_8));
            response.finishResponse();
        } catch (IOException e) {
            // The client is gone.
        }
    }
}
