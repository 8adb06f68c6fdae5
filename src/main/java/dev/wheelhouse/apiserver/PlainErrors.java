package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;

/** Answers what is no HTTP request, or what the servlet could not answer, by a Status object. Tomcat makes it by its name. */
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
            // The client has gone.
        }
    }
}
