import jakarta.servlet.*;
import jakarta.servlet.http.*;

/** Passes requests through the filter of docs/recipes/java.md: one a line, its fields apart by tabs. */
public class Pages {
    record Asked(String getMethod, String getRequestURI, String getRemoteAddr, String agent, String purpose) implements HttpServletRequest {
        public String getHeader(String name) {
            var value = name.equals("User-Agent") ? agent : name.equals("Sec-Purpose") ? purpose : null;
            return value == null || value.isEmpty() ? null : value;
        }
    }

    record Answer(int getStatus, String getContentType) implements HttpServletResponse {}

    public static void main(String[] args) throws Exception {
        try (var edgeboard = new Edgeboard(System.getenv("WORKER"), "demo", System.getenv("WRITE_TOKEN"))) {
            for (var line : System.getenv("LINES").split("\n")) {
                var f = line.split("\t", -1);
                var passed = new boolean[1];
                new CountViews(edgeboard).doFilter(new Asked(f[0], f[1], f[2], f[3], f[4]), new Answer(Integer.parseInt(f[5]), f[6]), (a, b) -> passed[0] = true);
                if (!passed[0]) throw new IllegalStateException("not passed on");
            }
        }
    }
}
