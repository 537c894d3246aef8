import CExpat
import StreamPlaylists

extension XMLElement {
    /// The limits of an accepted document, which bound the memory and the time that a hostile server can cost.
    struct Limits: Sendable {
        /// The maximum number of bytes.
        var bytes = PlaylistLimits().bytes
        /// The maximum depth of nested elements.
        var depth = 32
        /// The maximum number of elements.
        var elements = 400_000
    }

    /// Parses a document and returns its root element. Refuses document type declarations, and thus entities.
    ///
    /// - Throws: The error in the document, with its line.
    static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(ManifestError) -> XMLElement {
        guard bytes.count <= limits.bytes, let count = Int32(exactly: bytes.count) else {
            throw ManifestError(.tooLarge(limit: limits.bytes))
        }
        guard let builder = XMLTreeBuilder(limits) else { throw ManifestError(.malformed("no memory for a parser")) }
        return try builder.parse(bytes, count)
    }
}

/// Builds the elements of a document from the callbacks of the Expat parser. Used by one thread.
private final class XMLTreeBuilder {
    private let parser: XML_Parser
    private let limits: XMLElement.Limits
    /// The open elements, the innermost last.
    private var openElements: [XMLElement] = []
    private var root: XMLElement?
    private var elementCount = 0
    private var failure: ManifestError?

    init?(_ limits: XMLElement.Limits) {
        guard let parser = XML_ParserCreate(nil) else { return nil }
        (self.parser, self.limits) = (parser, limits)
    }

    deinit { XML_ParserFree(parser) }

    func parse(_ bytes: [UInt8], _ count: Int32) throws(ManifestError) -> XMLElement {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
        XML_SetElementHandler(
            parser, { context, name, attributes in builder(context)?.startElement(name, attributes) },
            { context, _ in builder(context)?.endElement() })
        XML_SetCharacterDataHandler(parser) { context, text, count in builder(context)?.appendText(text, count) }
        XML_SetStartDoctypeDeclHandler(parser) { context, name, _, _, _ in
            let isWebPage = name.map { String(cString: $0).lowercased() == "html" } ?? false
            builder(context)?.stop(isWebPage ? .webPage : .documentType)
        }
        let status = bytes.withUnsafeBytes {
            XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
        }
        if let failure { throw failure }
        guard status == XML_STATUS_OK, let root else {
            let start = String(decoding: bytes.prefix(256), as: UTF8.self).lowercased()
            if start.contains("<!doctype html") || start.contains("<html") {
                throw ManifestError(.webPage, line: line)
            }
            let text = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is empty"
            throw ManifestError(.malformed(text), line: line)
        }
        return root
    }

    private var line: Int { Int(clamping: XML_GetCurrentLineNumber(parser)) }

    /// Stops parsing with an error, unless an earlier error has stopped it.
    func stop(_ reason: ManifestError.Reason) {
        if failure == nil { failure = ManifestError(reason, line: line) }
        XML_StopParser(parser, XML_Bool(0))
    }

    func startElement(_ name: UnsafePointer<CChar>?, _ attributeList: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard failure == nil, let name else { return }
        elementCount += 1
        guard elementCount <= limits.elements else { return stop(.tooManyElements(limit: limits.elements)) }
        guard openElements.count < limits.depth else { return stop(.tooDeep(limit: limits.depth)) }
        let qualifiedName = String(cString: name)
        let localName = qualifiedName.split(separator: ":").last.map { String($0) } ?? qualifiedName
        if openElements.isEmpty, localName.lowercased() == "html" { return stop(.webPage) }
        var element = XMLElement(name: localName, line: line)
        var attributePair = attributeList
        while let pair = attributePair, let key = pair[0], let value = pair[1] {
            element.attributes[String(cString: key)] = String(cString: value)
            attributePair = pair + 2
        }
        openElements.append(element)
    }

    func appendText(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil, let text, count > 0, let last = openElements.indices.last else { return }
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        // Drop white space between elements.
        if openElements[last].text.isEmpty, bytes.allSatisfy({ Self.isSpace($0) }) { return }
        openElements[last].text += String(decoding: bytes, as: UTF8.self)
    }

    func endElement() {
        guard failure == nil, var element = openElements.popLast() else { return }
        if !element.text.isEmpty {
            var text = Substring(element.text).utf8
            while let byte = text.first, Self.isSpace(byte) { text.removeFirst() }
            while let byte = text.last, Self.isSpace(byte) { text.removeLast() }
            element.text = String(Substring(text))
        }
        if openElements.isEmpty {
            root = element
        } else {
            openElements[openElements.count - 1].children.append(element)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}

/// Returns the builder to which an Expat callback belongs.
private func builder(_ context: UnsafeMutableRawPointer?) -> XMLTreeBuilder? {
    context.map { Unmanaged<XMLTreeBuilder>.fromOpaque($0).takeUnretainedValue() }
}
