import CFeedXML
import Foundation

/// An object that receives the parts of an XML document, in order.
protocol XMLReaderDelegate: AnyObject {
    /// An element begins. `namespace` is empty for an element without one.
    func startElement(_ name: String, namespace: String, attributes: [String: String]) throws
    func appendText(_ text: String)
    func endElement()
}

/// The parser of XML documents from servers, by Expat: strict, limited, and without entities of the document.
///
/// Foundation's XMLParser is no choice on Linux: it returns true for documents that are cut off.
final class XMLReader {
    /// The deepest nesting of elements.
    static let depthLimit = 64

    private let parser: XML_Parser
    private unowned let delegate: any XMLReaderDelegate
    private var depth = 0
    private var failure: (any Error)?
    /// The character between namespace and name, which occurs in neither.
    private static let separator = Character(" ")

    private init(_ delegate: any XMLReaderDelegate) throws {
        guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: UInt8(ascii: " "))) else {
            throw PodcastsError("there is no memory for a parser")
        }
        (self.parser, self.delegate) = (parser, delegate)
    }

    deinit { XML_ParserFree(parser) }

    /// Parses a document.
    ///
    /// - Throws: ``PodcastsError`` if the document is not well-formed or exceeds a limit, or the error of the delegate.
    static func parse(_ data: Data, delegate: any XMLReaderDelegate) throws {
        guard let count = Int32(exactly: data.count) else { throw PodcastsError("the document is too large") }
        try XMLReader(delegate).parse(data, count)
    }

    private func parse(_ data: Data, _ count: Int32) throws {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { reader($0)?.startElement($1, $2) }, { context, _ in reader(context)?.endElement() })
        XML_SetCharacterDataHandler(parser) { reader($0)?.appendText($1, $2) }
        // A document type can declare entities, a few of which stand for gigabytes of text.
        XML_SetStartDoctypeDeclHandler(parser) { context, name, _, _, _ in
            let isWebPage = name.map { String(cString: $0).lowercased() == "html" } ?? false
            reader(context)?.stop(
                PodcastsError(isWebPage ? "it is a web page" : "it declares a document type, which is not supported"))
        }
        let status = data.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
        }
        if let failure { throw failure }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
            throw PodcastsError("it is not well-formed XML: \(reason) in line \(XML_GetCurrentLineNumber(parser))")
        }
    }

    // MARK: Expat

    private func stop(_ error: any Error) {
        if failure == nil { failure = error }
        XML_StopParser(parser, XML_Bool(0))
    }

    private func startElement(
        _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        // After it was stopped, Expat may still call handlers.
        guard failure == nil, let name else { return }
        depth += 1
        guard depth <= Self.depthLimit else { return stop(PodcastsError("it is nested too deeply")) }
        var attributes: [String: String] = [:], pair = list
        while let entry = pair, let key = entry[0], let value = entry[1] {
            attributes[String(cString: key)] = String(cString: value)
            pair = entry + 2
        }
        let parts = String(cString: name).split(separator: Self.separator, maxSplits: 1)
        do {
            try delegate.startElement(
                parts.last.map(String.init) ?? "", namespace: parts.count == 2 ? String(parts[0]) : "",
                attributes: attributes)
        } catch { stop(error) }
    }

    private func appendText(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil, let text, count > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        delegate.appendText(String(decoding: bytes, as: UTF8.self))
    }

    private func endElement() {
        guard failure == nil else { return }
        depth -= 1
        delegate.endElement()
    }
}

/// Returns the reader to which a callback of Expat belongs.
private func reader(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
    context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
}
