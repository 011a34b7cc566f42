/* Counts the allocations of a process: takes the place of malloc and its relatives (glibc).

   operator new, and libraries that are loaded, go by way of them too. */
#include <errno.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static volatile unsigned long count;

unsigned long allocations(void) { return count; }

void *malloc(size_t size)
{
    ++count;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    ++count;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    ++count;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    ++count;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
