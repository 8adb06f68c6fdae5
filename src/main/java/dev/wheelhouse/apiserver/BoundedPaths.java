package dev.wheelhouse.apiserver;

import java.nio.ByteBuffer;

import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.CoyoteAdapter;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Request;
import org.apache.coyote.Response;

import dev.wheelhouse.apiserver.protocol.ApiResponse;

/**
 * Refuses requests with long paths before Tomcat reads them: it removes each repeated slash, each dot segment and each
 * path parameter by moving the rest of the path.
 */
final class BoundedPaths extends CoyoteAdapter {
    /** The most bytes of a path. The longest path of an object that can exist has about 1,000. */
    private static final int MOST = 4096;

    BoundedPaths(Connector connector) {
        super(connector);
    }

    @Override
    public void service(Request request, Response response) throws Exception {
        if (request.requestURI().getLength() <= MOST) {
            super.service(request, response);
            return;
        }
        ApiResponse.Content refusal = Refusals.status(414, "the path of the request has more than " + MOST
                + " bytes, and that of an object never has as many");
        request.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        response.setStatus(refusal.code());
        response.setContentType(refusal.contentType());
        response.setContentLength(refusal.body().length);
        response.doWrite(ByteBuffer.wrap(refusal.body()));
    }
}
